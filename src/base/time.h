#pragma once

#include "base/clock.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic {

/// RFC 3339 in UTC with microseconds: "2026-11-21T09:00:00.000000Z".
std::string FormatTime(WallTime time);

/// What FormatTime writes, with any number of fraction digits and `Z` or a numeric offset, from
/// 1678 to 2261; or nothing.
std::optional<WallTime> ParseTime(std::string_view text);

/// Microseconds since 1970, the form in which times are stored.
std::int64_t ToMicros(WallTime time);
WallTime FromMicros(std::int64_t micros);

}  // namespace kinetic
