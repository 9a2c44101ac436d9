#pragma once

#include "base/clock.h"

#include <optional>
#include <string_view>

namespace kinetic::http {

/// The time of a Date, Last-Modified or Retry-After field in its preferred form, "Sun, 06 Nov 1994
/// 08:49:37 GMT"; nothing for any other.
///
/// @source RFC 9110, section 5.6.7
std::optional<WallTime> ParseHttpDate(std::string_view text);

}  // namespace kinetic::http
