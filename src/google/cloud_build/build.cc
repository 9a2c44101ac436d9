#include "google/cloud_build/build.h"

#include <array>
#include <cstddef>

namespace kinetic::google {
namespace {

constexpr std::array<std::string_view, 10> kNames{
    "STATUS_UNKNOWN", "PENDING",        "QUEUED",  "WORKING",   "SUCCESS",
    "FAILURE",        "INTERNAL_ERROR", "TIMEOUT", "CANCELLED", "EXPIRED"};

}  // namespace

std::string_view ToString(BuildStatus status) {
  return kNames.at(static_cast<std::size_t>(status));
}

BuildStatus ParseBuildStatus(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames.at(i) == name) return static_cast<BuildStatus>(i);
  }
  return BuildStatus::kUnknown;
}

bool IsTerminal(BuildStatus status) { return status >= BuildStatus::kSuccess; }

}  // namespace kinetic::google
