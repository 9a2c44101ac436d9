#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::cli {

/// The first character of a text: its bytes and its width in terminal columns. Wide characters
/// (CJK, most emoji) take two columns, combining characters none. Each byte that is not valid UTF-8
/// takes one column.
struct DisplayCharacter {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};
DisplayCharacter FirstCharacter(std::string_view text);

/// Returns the width of a text in terminal columns.
std::size_t DisplayWidth(std::string_view text);

using Time = std::chrono::system_clock::time_point;

/// A shorter phase without a detail to show ends without a line.
inline constexpr std::chrono::seconds kMinShownDuration{1};

/// Returns text such as "0 B" or "1.2 MiB".
std::string FormatBytes(std::uint64_t bytes);

/// Returns text such as "0.12s", "4.1s", "3m 12s", "2h 5m" or "3d 4h". Negative durations are 0.
std::string FormatDuration(std::chrono::nanoseconds duration);

/// Returns a coarser duration for tables: "12s", "3m", "2h", "3d".
std::string FormatAge(std::chrono::nanoseconds age);

/// Returns RFC 3339 in UTC with milliseconds, "2026-11-21T09:41:07.123Z".
std::string FormatTime(Time time);

/// Returns at most `width` columns of a text. A longer text ends with "…" (or "...").
std::string Shortened(std::string_view text, std::size_t width, bool unicode);

/// Returns a message as one safe line: without newlines at its end, and with SafeLine's escapes.
std::string OneLine(std::string_view text);

}  // namespace kinetic::cli
