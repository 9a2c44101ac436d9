#include "env/dependencies/requirements.h"

#include <array>

namespace kinetic::env {
namespace {

struct AcceleratorExtra {
  std::string_view package;
  std::string_view category;
  std::string_view extra;
};

constexpr std::array<AcceleratorExtra, 2> kExtras{{
    {"jax", "tpu", "tpu"},
    {"jax", "gpu", "cuda12"},
}};

}  // namespace

void AddAcceleratorExtras(std::vector<Requirement>& requirements, std::string_view category) {
  for (Requirement& requirement : requirements) {
    if (!requirement.extras.empty()) continue;
    for (const auto& known : kExtras) {
      if (known.package == requirement.name && known.category == category) {
        requirement.extras.emplace_back(known.extra);
      }
    }
  }
}

}  // namespace kinetic::env
