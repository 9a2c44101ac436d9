#include "backend/kubernetes/manifest/placement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace kinetic::backend {

std::string BytesQuantity(std::uint64_t bytes) {
  constexpr std::array<std::pair<int, std::string_view>, 4> kUnits{
      {{40, "Ti"}, {30, "Gi"}, {20, "Mi"}, {10, "Ki"}}};
  for (const auto& [shift, unit] : kUnits) {
    const std::uint64_t size = std::uint64_t{1} << shift;
    if (bytes >= size && bytes % size == 0) return std::to_string(bytes / size).append(unit);
  }
  return std::to_string(bytes);
}

std::string CpuQuantity(double processors) {
  constexpr double kMost = 1e9;
  // A product such as 0.3 * 1000 may be slightly above the intended integer.
  const double exact = std::min(processors, kMost) * 1000;
  const auto milli = std::max(static_cast<std::int64_t>(std::ceil(exact - 1e-6)), std::int64_t{1});
  if (milli % 1000 == 0) return std::to_string(milli / 1000);
  return std::to_string(milli) + "m";
}

Value ResourcesOf(const Resources& resources, const Placement& placement) {
  Value::Map requests;
  Value::Map limits;
  const auto bound = [&](std::string name, const std::string& quantity) {
    requests.emplace_back(name, quantity);
    limits.emplace_back(std::move(name), quantity);
  };
  if (resources.cpu) requests.emplace_back("cpu", CpuQuantity(*resources.cpu));
  if (resources.memory_bytes) bound("memory", BytesQuantity(*resources.memory_bytes));
  if (resources.disk_bytes) bound("ephemeral-storage", BytesQuantity(*resources.disk_bytes));
  if (!placement.resource.empty()) bound(placement.resource, std::to_string(placement.chips));
  Value::Map both;
  if (!requests.empty()) both.emplace_back("requests", std::move(requests));
  if (!limits.empty()) both.emplace_back("limits", std::move(limits));
  return both;
}

Value CollectorResources(std::uint64_t packages_bytes, std::uint64_t disk_bytes) {
  constexpr std::uint64_t kOwnBytes = 128U << 20;
  Value::Map requests{{"cpu", "100m"}, {"memory", BytesQuantity(kOwnBytes + packages_bytes)}};
  if (disk_bytes != 0) requests.emplace_back("ephemeral-storage", BytesQuantity(disk_bytes));
  return Value::Map{{"requests", std::move(requests)}};
}

}  // namespace kinetic::backend
