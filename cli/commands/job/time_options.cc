#include "commands/job/time_options.h"

#include "output/text.h"

#include <fmt/format.h>

#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace kinetic::cli {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kMaxDays = 36'500;

std::optional<std::int64_t> SecondsIn(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 60 * 60;
    case 'd':
      return 24 * 60 * 60;
    default:
      return std::nullopt;
  }
}

std::optional<seconds> Duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::int64_t most = kMaxDays * *SecondsIn('d');
  std::int64_t total = 0;
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0 || end == text.data() + text.size()) return std::nullopt;
    const auto unit = SecondsIn(*end);
    if (!unit || number > (most - total) / *unit) return std::nullopt;
    total += number * *unit;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  }
  return seconds(total);
}

/// Returns the offset in "+01:00" or "Z".
std::optional<seconds> Offset(std::string_view zone) {
  if (zone == "Z") return seconds(0);
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const auto offset = Duration(fmt::format("{}h{}m", zone.substr(1, 2), zone.substr(4, 2)));
  return offset && zone[0] == '-' ? -*offset : offset;
}

/// Removes ".123" from the front of `text` and returns it.
std::optional<std::chrono::milliseconds> TakeFraction(std::string_view& text) {
  if (!text.starts_with('.')) return std::chrono::milliseconds(0);
  text.remove_prefix(1);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::int64_t millis = 0;
  if (digits == 0) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) millis = millis * 10 + (i < digits ? text[i] - '0' : 0);
  text.remove_prefix(digits);
  return std::chrono::milliseconds(millis);
}

std::optional<Time> Moment(const std::string& text) {
  tm parts{};
  const char* rest = nullptr;
  for (const char* format :
       {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    parts = {};
    rest = ::strptime(text.c_str(), format, &parts);
    if (rest != nullptr) break;
  }
  if (rest == nullptr) return std::nullopt;
  std::string_view zone(rest);
  const auto fraction = TakeFraction(zone);
  if (!fraction) return std::nullopt;
  parts.tm_isdst = -1;
  if (zone.empty()) return std::chrono::system_clock::from_time_t(::mktime(&parts)) + *fraction;
  const auto offset = Offset(zone);
  if (!offset) return std::nullopt;
  return std::chrono::system_clock::from_time_t(::timegm(&parts)) - *offset + *fraction;
}

}  // namespace

Result<seconds> ParseDuration(std::string_view option, const std::string& text) {
  if (const auto duration = Duration(text)) return *duration;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: expected a duration such as 90s, 30m, 1h30m or 7d, found '{}'",
                          option, SafeLine(text)));
}

Result<Time> ParseMoment(std::string_view option, const std::string& text) {
  if (const auto ago = Duration(text)) return std::chrono::system_clock::now() - *ago;
  if (const auto moment = Moment(text)) return *moment;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: expected a duration such as 5m, or a time such as "
                          "2026-11-21T09:41:07Z, found '{}'",
                          option, SafeLine(text)));
}

}  // namespace kinetic::cli
