#include "http/headers.h"

#include "base/strings.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace kinetic::http {
namespace {

bool SameName(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ToLower(a) == ToLower(b);
}

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<unsigned> Month(std::string_view name) {
  const auto found = std::find(kMonths.begin(), kMonths.end(), name);
  if (found == kMonths.end()) return std::nullopt;
  return static_cast<unsigned>(found - kMonths.begin()) + 1;
}

std::optional<std::chrono::seconds> TimeOfDay(std::string_view text) {
  const auto pieces = Split(text, ':');
  if (pieces.size() != 3) return std::nullopt;
  const auto hours = ParseInt(pieces[0]);
  const auto minutes = ParseInt(pieces[1]);
  const auto seconds = ParseInt(pieces[2]);
  if (!hours || !minutes || !seconds) return std::nullopt;
  if (*hours < 0 || *hours > 23 || *minutes < 0 || *minutes > 59 || *seconds < 0 || *seconds > 60) {
    return std::nullopt;
  }
  return std::chrono::hours(*hours) + std::chrono::minutes(*minutes) +
         std::chrono::seconds(*seconds);
}

}  // namespace

void Headers::Add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::Set(std::string name, std::string value) {
  Remove(name);
  Add(std::move(name), std::move(value));
}

void Headers::Remove(std::string_view name) {
  std::erase_if(fields_, [&](const auto& field) { return SameName(field.first, name); });
}

std::optional<std::string_view> Headers::Get(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const auto& field) { return SameName(field.first, name); });
  if (found == fields_.end()) return std::nullopt;
  return found->second;
}

std::string Headers::Joined(std::string_view name) const {
  std::string joined;
  for (const auto& [key, value] : fields_) {
    if (!SameName(key, name)) continue;
    if (!joined.empty()) joined += ", ";
    joined += value;
  }
  return joined;
}

std::optional<WallTime> ParseHttpDate(std::string_view text) {
  const auto words = Split(Trim(text), ' ');
  if (words.size() != 6 || words[5] != "GMT") return std::nullopt;
  const auto day = ParseInt(words[1]);
  const auto month = Month(words[2]);
  const auto year = ParseInt(words[3]);
  const auto time = TimeOfDay(words[4]);
  if (!day || !month || !year || !time || *year < 1970 || *year > 9999) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return WallTime(std::chrono::sys_days(date) + *time);
}

}  // namespace kinetic::http
