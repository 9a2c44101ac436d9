#include "settings/duration.h"

#include "kinetic/printable.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace kinetic::settings {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMaxDuration = std::chrono::days(36'500);

std::optional<milliseconds> UnitOf(std::string_view name) {
  if (name == "ms") return milliseconds{1};
  if (name == "s") return std::chrono::seconds{1};
  if (name == "m") return std::chrono::minutes{1};
  if (name == "h") return std::chrono::hours{1};
  if (name == "d") return std::chrono::days{1};
  return std::nullopt;
}

}  // namespace

std::optional<milliseconds> ParseDuration(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789.";
  if (text.empty()) return std::nullopt;
  const bool has_units = text.find_first_not_of(kDigits) != std::string_view::npos;
  double total = 0;
  while (!text.empty()) {
    double number = 0;
    const std::string_view numerals = text.substr(0, text.find_first_not_of(kDigits));
    const char* const numerals_end = numerals.data() + numerals.size();
    const auto [end, error] =
        std::from_chars(numerals.data(), numerals_end, number, std::chars_format::fixed);
    if (numerals.empty() || error != std::errc() || end != numerals_end) return std::nullopt;
    text.remove_prefix(numerals.size());
    const std::string_view name = text.substr(0, text.find_first_of(kDigits));
    const auto unit = UnitOf(name);
    if (!has_units && number == 0) return milliseconds::zero();
    if (!unit) return std::nullopt;
    total += number * static_cast<double>(unit->count());
    if (total > static_cast<double>(kMaxDuration.count())) return std::nullopt;
    text.remove_prefix(name.size());
  }
  return milliseconds(std::llround(total));
}

Result<milliseconds> ParseDurationOf(std::string_view what, std::string_view text) {
  if (const auto duration = ParseDuration(text)) return *duration;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: expected a duration such as 90s, 30m, 1h30m or 7d, found '{}'", what,
                          Printable(text)));
}

}  // namespace kinetic::settings
