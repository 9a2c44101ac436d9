#include "http/last_cause.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::http {
namespace {

constexpr std::string_view kLastCause = "last_cause";

}  // namespace

Error WithLastCause(Error error, const std::string& cause) {
  if (error.code != ErrorCode::kCancelled || cause.empty()) return error;
  return std::move(error).With(std::string(kLastCause), cause);
}

std::string CauseSuffix(const Error& stopped) {
  const auto found = std::ranges::find_if(
      stopped.details, [](const auto& detail) { return detail.first == kLastCause; });
  return found == stopped.details.end() ? "" : ": " + found->second;
}

}  // namespace kinetic::http
