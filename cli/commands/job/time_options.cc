#include "commands/job/time_options.h"

#include "output/text.h"
#include "settings/duration.h"

#include <fmt/format.h>

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace kinetic::cli {
namespace {

using std::chrono::milliseconds;

/// Returns the offset in "+01:00" or "Z".
std::optional<milliseconds> Offset(std::string_view zone) {
  if (zone == "Z") return milliseconds(0);
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const auto offset =
      settings::ParseDuration(fmt::format("{}h{}m", zone.substr(1, 2), zone.substr(4, 2)));
  return offset && zone[0] == '-' ? -*offset : offset;
}

/// Removes ".123" from the front of `text` and returns it.
std::optional<milliseconds> TakeFraction(std::string_view& text) {
  if (!text.starts_with('.')) return milliseconds(0);
  text.remove_prefix(1);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::int64_t millis = 0;
  if (digits == 0) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) millis = millis * 10 + (i < digits ? text[i] - '0' : 0);
  text.remove_prefix(digits);
  return milliseconds(millis);
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

Result<Time> ParseMoment(std::string_view option, const std::string& text) {
  if (const auto ago = settings::ParseDuration(text))
    return std::chrono::system_clock::now() - *ago;
  if (const auto moment = Moment(text)) return *moment;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: expected a duration such as 5m, or a time such as "
                          "2026-11-21T09:41:07Z, found '{}'",
                          option, SafeLine(text)));
}

}  // namespace kinetic::cli
