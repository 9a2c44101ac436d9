#pragma once

#include "kinetic/fields.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

/// Optional: conversions from and to Value for more types of the standard library.
///
/// | C++ | Python |
/// |---|---|
/// | std::chrono::duration | timedelta |
/// | std::chrono::system_clock::time_point, and those of other units | datetime, in UTC, of microseconds |
/// | std::filesystem::path | str (to C++: also pathlib paths) |
/// | std::variant<T...> | the value; to C++: the first of the types that it converts to |
/// | std::monostate | None |
/// | std::set<T> | set (to C++: also frozenset, list, tuple) |
/// | std::unordered_map<std::string, T> | dict |
namespace kinetic::inline v0 {

/// The parts of the conversions that do not depend on the type.
namespace codecs {

/// A duration of a large range: the sum of both.
struct Duration {
  std::chrono::seconds whole;
  std::chrono::nanoseconds rest;  ///< from 0 to below 1 second
};

/// Reads the tagged form `$timedelta`.
KINETIC_EXPORT Result<Duration> ReadDuration(const Value& value, const ValuePath& at);
KINETIC_EXPORT Value WriteDuration(Duration duration);
/// Reads the tagged form `$datetime` as the time since 1970. A time without an offset is an error.
KINETIC_EXPORT Result<Duration> ReadTime(const Value& value, const ValuePath& at);
KINETIC_EXPORT Result<std::string> ReadPath(const Value& value, const ValuePath& at);
KINETIC_EXPORT Value WriteTime(std::chrono::system_clock::time_point time);
/// "value.x: 1.5 s do not fit in the type: it counts units of 1 s"
KINETIC_EXPORT Failure DoesNotFit(Duration duration, double unit_s, const ValuePath& at);
/// Returns the items of a set or a list, or null.
KINETIC_EXPORT const Value::List* SetIn(const Value& value);

template <typename... T>
Duration Split(std::chrono::duration<T...> duration) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(duration);
  return {whole, std::chrono::duration_cast<std::chrono::nanoseconds>(duration - whole)};
}

/// Converts to a type that must hold the duration exactly, unless it is of floating point.
template <typename T>
Result<T> Convert(Duration duration, const ValuePath& at) {
  using Exact = std::chrono::duration<long double, typename T::period>;
  const long double count = Exact(duration.whole).count() + Exact(duration.rest).count();
  if constexpr (std::integral<typename T::rep>) {
    using Limits = std::numeric_limits<typename T::rep>;
    const bool fits = count >= static_cast<long double>(Limits::min()) &&
                      count <= static_cast<long double>(Limits::max());
    const double unit_s = static_cast<double>(T::period::num) / T::period::den;
    if (!fits) return DoesNotFit(duration, unit_s, at);
    const T rounded(static_cast<typename T::rep>(std::round(count)));
    const Duration back = Split(rounded);
    const std::chrono::nanoseconds lost = back.whole - duration.whole + (back.rest - duration.rest);
    // One nanosecond is lost for units such as 1/3 s.
    if (std::chrono::abs(lost) > std::chrono::nanoseconds(1))
      return DoesNotFit(duration, unit_s, at);
    return rounded;
  } else {
    return T(static_cast<typename T::rep>(count));
  }
}

}  // namespace codecs

template <typename Rep, typename Period>
struct FromValue<std::chrono::duration<Rep, Period>> {
  using Type = std::chrono::duration<Rep, Period>;
  static Result<Type> Read(const Value& value, const ValuePath& at) {
    return codecs::ReadDuration(value, at).and_then(
        [&](codecs::Duration read) { return codecs::Convert<Type>(read, at); });
  }
  static Value Write(const Type& duration) {
    return codecs::WriteDuration(codecs::Split(duration));
  }
};

template <typename Unit>
struct FromValue<std::chrono::time_point<std::chrono::system_clock, Unit>> {
  using Type = std::chrono::time_point<std::chrono::system_clock, Unit>;
  static Result<Type> Read(const Value& value, const ValuePath& at) {
    return codecs::ReadTime(value, at)
        .and_then([&](codecs::Duration read) { return codecs::Convert<Unit>(read, at); })
        .transform([](Unit since) { return Type(since); });
  }
  static Value Write(const Type& time) {
    return codecs::WriteTime(
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
  }
};

template <>
struct FromValue<std::filesystem::path> {
  static Result<std::filesystem::path> Read(const Value& value, const ValuePath& at) {
    return codecs::ReadPath(value, at).transform(
        [](std::string path) { return std::filesystem::path(std::move(path)); });
  }
  static Value Write(const std::filesystem::path& path) { return path.native(); }
};

template <>
struct FromValue<std::monostate> {
  static Result<std::monostate> Read(const Value& value, const ValuePath& at) {
    if (value.IsNull()) return std::monostate();
    return from_value::Mismatch(value, "null", at);
  }
  static Value Write(std::monostate) { return {}; }
};

template <typename... T>
struct FromValue<std::variant<T...>> {
  static Result<std::variant<T...>> Read(const Value& value, const ValuePath& at) {
    std::optional<std::variant<T...>> found;
    ValuePath again = at;
    again.is_last_use = false;  // an attempt that fails must leave the value to the next one
    (TryRead<T>(value, again, found), ...);
    if (found) return *std::move(found);
    return from_value::Mismatch(value, "one of the types of the variant", at);
  }
  static Value Write(const std::variant<T...>& object) {
    return std::visit([](const auto& held) { return ToValue(held); }, object);
  }

 private:
  template <typename One>
  static void TryRead(const Value& value, const ValuePath& at,
                      std::optional<std::variant<T...>>& found) {
    if (found) return;
    if (Result<One> read = FromValue<One>::Read(value, at)) found.emplace(*std::move(read));
  }
};

template <typename T>
struct FromValue<std::set<T>> {
  static Result<std::set<T>> Read(const Value& value, const ValuePath& at) {
    const Value::List* list = codecs::SetIn(value);
    if (list == nullptr) return from_value::Mismatch(value, "set", at);
    std::set<T> items;
    std::size_t index = 0;
    for (const Value& item : *list) {
      Result<T> read = FromValue<T>::Read(item, ValuePath(at, index++));
      if (!read) return Failure(std::move(read).error());
      items.insert(*std::move(read));
    }
    return items;
  }
  static Value Write(const std::set<T>& items) {
    Value::List list;
    for (const T& item : items) list.push_back(ToValue(item));
    return Value::Map{{"$set", std::move(list)}};
  }
};

template <typename T>
struct FromValue<std::unordered_map<std::string, T>> {
  static Result<std::unordered_map<std::string, T>> Read(const Value& value, const ValuePath& at) {
    const auto found = from_value::ReadMembers(value, at);
    if (!found) return Failure(found.error());
    std::unordered_map<std::string, T> members;
    for (const auto& [key, member] : *found) {
      Result<T> read = FromValue<T>::Read(*member, ValuePath(at, key));
      if (!read) return Failure(std::move(read).error());
      members.emplace(key, *std::move(read));
    }
    return members;
  }
  /// Sorts the members, so that equal maps have equal values.
  static Value Write(const std::unordered_map<std::string, T>& members) {
    Value::Map map;
    for (const auto& [key, member] : members) map.emplace_back(key, ToValue(member));
    std::sort(map.begin(), map.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return Value::FromMembers(std::move(map));
  }
};

}  // namespace kinetic::inline v0
