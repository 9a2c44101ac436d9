#pragma once

#include "output/display_width.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::cli {

using Time = std::chrono::system_clock::time_point;

/// "0 B", "1.2 MiB".
std::string FormatBytes(std::uint64_t bytes);

/// "0.12s", "4.1s", "3m 12s", "2h 5m", "3d 4h"; negative ones are 0.
std::string FormatDuration(std::chrono::nanoseconds duration);

/// Coarser, for tables: "12s", "3m", "2h", "3d".
std::string FormatAge(std::chrono::nanoseconds age);

/// RFC 3339 in UTC with milliseconds, "2026-11-21T09:41:07.123Z".
std::string FormatTime(Time time);

/// At most `width` columns of a text, its end replaced by "…" (or "...") when it is longer.
std::string Shortened(std::string_view text, std::size_t width, bool unicode);

/// The text with control characters as spaces, so that it cannot move a cursor.
std::string OneLine(std::string_view text);

}  // namespace kinetic::cli
