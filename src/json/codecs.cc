#include "kinetic/codecs.h"

#include "base/time/clock.h"
#include "json/bytes.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace kinetic::inline v0::codecs {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kDay{86'400};
/// Days of the longest timedelta of Python.
constexpr std::int64_t kMaxDays = 999'999'999;

/// Returns the numbers of `$timedelta`: days, seconds, microseconds, and nanoseconds, which may be
/// missing.
std::optional<std::array<std::int64_t, 4>> TimedeltaIn(const Value& value) {
  const Value* content = json::Tagged(value, "$timedelta");
  const Value::List* list = content == nullptr ? nullptr : content->AsList();
  std::array<std::int64_t, 4> numbers{};
  if (list == nullptr || list->size() < 3 || list->size() > numbers.size()) return std::nullopt;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::int64_t* number = (*list)[i].AsInt();
    const std::int64_t limit = i == 0 ? kMaxDays + 1 : 1'000'000'000;
    if (number == nullptr || *number <= -limit || *number >= limit) return std::nullopt;
    numbers.at(i) = *number;
  }
  return numbers;
}

}  // namespace

Result<Duration> ReadDuration(const Value& value, const ValuePath& at) {
  const auto numbers = TimedeltaIn(value);
  if (!numbers) return from_value::Mismatch(value, "timedelta", at);
  const auto& [days, whole, micros, nanos] = *numbers;
  const Duration rest = Split(std::chrono::microseconds(micros) + nanoseconds(nanos));
  return Duration{days * kDay + seconds(whole) + rest.whole, rest.rest};
}

Value WriteDuration(Duration duration) {
  const std::int64_t days = std::chrono::floor<std::chrono::days>(duration.whole).count();
  const auto micros = std::chrono::floor<std::chrono::microseconds>(duration.rest);
  Value::List numbers{days, (duration.whole - days * kDay).count(), micros.count()};
  if (micros != duration.rest) numbers.emplace_back((duration.rest - micros).count());
  return Value::Map{{"$timedelta", std::move(numbers)}};
}

Result<Duration> ReadTime(const Value& value, const ValuePath& at) {
  const Value* content = json::Tagged(value, "$datetime");
  const std::string* text = content == nullptr ? nullptr : content->AsString();
  if (text == nullptr) return from_value::Mismatch(value, "datetime", at);
  // A time zone follows the offset in brackets.
  const auto time = ParseTime(std::string_view(*text).substr(0, text->find('[')));
  if (time) return Split(time->time_since_epoch());
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("{}: expected a datetime with an offset from 1678 to 2261", at.ToString()),
      "create it with datetime.now(timezone.utc)");
}

Value WriteTime(std::chrono::system_clock::time_point time) {
  std::string text = FormatTime(time);
  text.pop_back();
  return Value::Map{{"$datetime", text + "+00:00"}};  // Python before 3.11 does not read "Z"
}

Result<std::string> ReadPath(const Value& value, const ValuePath& at) {
  const Value* tagged = json::Tagged(value, "$path");
  const std::string* text = (tagged == nullptr ? value : *tagged).AsString();
  if (text == nullptr) return from_value::Mismatch(value, "path", at);
  return *text;
}

Failure DoesNotFit(Duration duration, double unit_s, const ValuePath& at) {
  const double duration_s = static_cast<double>(duration.whole.count()) +
                            std::chrono::duration<double>(duration.rest).count();
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: {} s do not fit in the type, which counts units of {} s",
                          at.ToString(), duration_s, unit_s));
}

const Value::List* SetIn(const Value& value) {
  const Value* content = json::Tagged(value, "$set");
  if (content == nullptr) content = json::Tagged(value, "$frozenset");
  return content == nullptr ? from_value::ListIn(value) : content->AsList();
}

}  // namespace kinetic::inline v0::codecs
