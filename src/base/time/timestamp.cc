#include "base/strings.h"
#include "base/time/clock.h"

#include <fmt/format.h>

#include <time.h>

namespace kinetic {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;

/// WallTime counts nanoseconds in 64 bits.
constexpr std::int64_t kLastSecond = 9'223'372'035;

/// Returns the days since 1970 of a proleptic Gregorian date, or nullopt for an invalid date.
std::optional<std::int64_t> DaysFromCivil(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                            std::chrono::day{day}};
  if (!date.ok()) return std::nullopt;
  return sys_days(date).time_since_epoch().count();
}

/// Consumes `count` digits from the front of `text`.
std::optional<int> TakeDigits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  const auto value = ParseInt(text.substr(0, count));
  if (!value || *value < 0 || text[0] == '-') return std::nullopt;
  text.remove_prefix(count);
  return static_cast<int>(*value);
}

bool Take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> TakeFraction(std::string_view& text) {
  if (!Take(text, '.')) return 0;
  std::int64_t micros = 0;
  std::size_t digits = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1)) {
    if (digits++ < 6) micros = micros * 10 + (text.front() - '0');
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 6; ++digits) micros *= 10;
  return micros;
}

std::optional<std::int64_t> TakeOffsetSeconds(std::string_view& text) {
  if (Take(text, 'Z') || Take(text, 'z')) return 0;
  const bool negative = !text.empty() && text.front() == '-';
  if (!Take(text, '-') && !Take(text, '+')) return std::nullopt;
  const auto hours = TakeDigits(text, 2);
  if (!hours || !Take(text, ':')) return std::nullopt;
  const auto minutes = TakeDigits(text, 2);
  if (!minutes) return std::nullopt;
  const std::int64_t seconds = (std::int64_t{*hours} * 60 + *minutes) * 60;
  return negative ? -seconds : seconds;
}

}  // namespace

std::string FormatTime(WallTime time) {
  const std::int64_t micros = ToMicros(time);
  std::int64_t fraction = micros % 1'000'000;
  time_t seconds = micros / 1'000'000;
  if (fraction < 0) {
    fraction += 1'000'000;
    --seconds;
  }
  struct tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, fraction);
}

std::optional<WallTime> ParseTime(std::string_view text) {
  const auto year = TakeDigits(text, 4);
  if (!year || !Take(text, '-')) return std::nullopt;
  const auto month = TakeDigits(text, 2);
  if (!month || *month < 1 || *month > 12 || !Take(text, '-')) return std::nullopt;
  const auto day = TakeDigits(text, 2);
  if (!day || *day < 1 || *day > 31 || !(Take(text, 'T') || Take(text, 't') || Take(text, ' '))) {
    return std::nullopt;
  }
  const auto hour = TakeDigits(text, 2);
  if (!hour || *hour > 23 || !Take(text, ':')) return std::nullopt;
  const auto minute = TakeDigits(text, 2);
  if (!minute || *minute > 59 || !Take(text, ':')) return std::nullopt;
  const auto second = TakeDigits(text, 2);
  if (!second || *second > 60) return std::nullopt;
  const auto fraction = TakeFraction(text);
  if (!fraction) return std::nullopt;
  const auto offset = TakeOffsetSeconds(text);
  if (!offset || !text.empty()) return std::nullopt;
  const auto days =
      DaysFromCivil(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day));
  if (!days) return std::nullopt;
  const std::int64_t seconds = ((*days * 24 + *hour) * 60 + *minute) * 60 + *second - *offset;
  if (seconds < -kLastSecond || seconds > kLastSecond) return std::nullopt;
  return FromMicros(seconds * 1'000'000 + *fraction);
}

std::int64_t ToMicros(WallTime time) {
  return duration_cast<microseconds>(time.time_since_epoch()).count();
}

WallTime FromMicros(std::int64_t micros) {
  return WallTime(duration_cast<WallTime::duration>(microseconds(micros)));
}

}  // namespace kinetic
