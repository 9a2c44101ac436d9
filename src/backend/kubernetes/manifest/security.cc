#include "backend/kubernetes/manifest/pod_template.h"

#include <cstdint>

namespace kinetic::backend {
namespace {

/// The user "nonroot" of distroless images.
constexpr std::int64_t kUser = 65532;

}  // namespace

Value PodSecurity(bool restricted) {
  Value::Map context{{"seccompProfile", Value::Map{{"type", "RuntimeDefault"}}}};
  if (restricted) {
    context.emplace_back("runAsNonRoot", true);
    context.emplace_back("runAsUser", kUser);
    context.emplace_back("runAsGroup", kUser);
    context.emplace_back("fsGroup", kUser);
  }
  return context;
}

Value ContainerSecurity(bool restricted) {
  Value::Map context{{"allowPrivilegeEscalation", false}};
  if (restricted) {
    context.emplace_back("capabilities", Value::Map{{"drop", Value::List{"ALL"}}});
  }
  return context;
}

}  // namespace kinetic::backend
