#pragma once

#include "base/time/clock.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic {

/// Formats as RFC 3339 in UTC with microseconds: "2026-11-21T09:00:00.000000Z".
std::string FormatTime(WallTime time);

/// Parses RFC 3339 with any number of fraction digits and `Z` or a numeric offset, for the years
/// 1678 to 2261. Returns nullopt for anything else.
std::optional<WallTime> ParseTime(std::string_view text);

/// Converts to microseconds since 1970, the form in which times are stored.
std::int64_t ToMicros(WallTime time);
WallTime FromMicros(std::int64_t micros);

}  // namespace kinetic
