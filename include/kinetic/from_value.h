#pragma once

#include "kinetic/value.h"  // NOLINT(misc-header-include-cycle): it includes this header

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace kinetic::inline v0 {

/// The position of a part in a value, for messages: "value.metrics[3].loss".
struct ValuePath {
  ValuePath() = default;
  ValuePath(std::string_view step) : key(step) {}
  ValuePath(const char* step) : key(step) {}
  template <Integer T>
  ValuePath(T step) : index(static_cast<std::size_t>(step)) {}
  ValuePath(const ValuePath& above, std::string_view step)
      : parent(&above), key(step), is_last_use(above.is_last_use) {}
  ValuePath(const ValuePath& above, std::size_t step)
      : parent(&above), index(step), is_last_use(above.is_last_use) {}

  const ValuePath* parent = nullptr;  ///< null: the value itself
  std::optional<std::string_view> key;
  std::size_t index = 0;  ///< without a key
  /// The value is not used afterwards, so the items of arrays may be taken from it.
  bool is_last_use = false;

  KINETIC_EXPORT std::string ToString() const;
};

/// Always false, but evaluated only for a type that is used.
template <typename T>
inline constexpr bool kHasCodec = false;

/// Converts a Value to T: `static Result<T> Read(const Value& value, const ValuePath& at)`.
///
/// Specialize it for a type of another library, which cannot have KINETIC_FIELDS. Add
/// `static Value Write(const T& object)` to use the type in C++ functions.
template <typename T>
struct FromValue {
  static_assert(kHasCodec<T>,
                "this type cannot be converted from a kinetic::Value: add "
                "KINETIC_FIELDS(Type, member, ...) after its definition, in its namespace; for a "
                "type of another library, specialize kinetic::FromValue with Read and Write");
  static Result<T> Read(const Value& value, const ValuePath& at);
};

/// The parts of the conversions that do not depend on the type.
namespace from_value {

/// "value.x: expected number, found string"
KINETIC_EXPORT Failure Mismatch(const Value& found, std::string_view expected, const ValuePath& at);
KINETIC_EXPORT Result<std::int64_t> ReadSigned(const Value& value, const ValuePath& at,
                                               std::int64_t min, std::int64_t max);
KINETIC_EXPORT Result<std::uint64_t> ReadUnsigned(const Value& value, const ValuePath& at,
                                                  std::uint64_t max);
/// @param max  the largest finite number.
KINETIC_EXPORT Result<double> ReadNumber(const Value& value, const ValuePath& at, double max);
/// Reads the tagged form `$bytes`.
KINETIC_EXPORT Result<Bytes> ReadBytes(const Value& value, const ValuePath& at);
/// "value.x: expected array of one dimension, found 2"
KINETIC_EXPORT Failure WrongDimensions(std::size_t found, const ValuePath& at);
/// "value.x: expected 2 items, found 3"
KINETIC_EXPORT Failure WrongLength(std::size_t found, std::size_t expected, const ValuePath& at);
/// Returns the items of a list or a tuple, or null.
KINETIC_EXPORT const Value::List* ListIn(const Value& value);
/// Returns whether the value is an array in a tagged form.
KINETIC_EXPORT bool IsArray(const Value& value);
/// Returns whether the value has members: a map, a Python dataclass or a named tuple.
KINETIC_EXPORT bool HasMembers(const Value& value);
/// Returns a member, or null.
KINETIC_EXPORT const Value* MemberIn(const Value& value, std::string_view key);
/// Returns all members.
KINETIC_EXPORT Result<std::vector<std::pair<std::string_view, const Value*>>> ReadMembers(
    const Value& value, const ValuePath& at);
/// An array in row-major order, as bytes or as JSON numbers.
struct ArrayContent {
  std::vector<std::size_t> shape;
  std::optional<Bytes> file;  ///< contains `bytes`
  std::string_view bytes;
  std::vector<const Value*> numbers;
};
/// Prepares memory that is about to be filled with an array.
KINETIC_EXPORT void PrepareItems(void* items, std::size_t size_bytes);
KINETIC_EXPORT Result<ArrayContent> ReadArray(const Value& value, const ValuePath& at, char kind,
                                              std::size_t item_bytes);
/// Takes the std::vector with the items of an array out of a value that is not used afterwards. Its
/// item type is the first of its kind. Returns null if another value shares it, or if it has items of
/// another type; `content` is then still valid.
///
/// @param content  what ReadArray returned for the value.
KINETIC_EXPORT std::shared_ptr<void> TakeItems(const Value& value, ArrayContent& content, char kind,
                                               std::size_t item_bytes);
/// Follows the steps after the first one, and sets their parents.
KINETIC_EXPORT Result<const Value*> FindPart(const Value& value, std::span<ValuePath> steps);

}  // namespace from_value

template <>
struct FromValue<Value> {
  static Result<Value> Read(const Value& value, const ValuePath&) { return value; }
};

template <>
struct FromValue<bool> {
  static Result<bool> Read(const Value& value, const ValuePath& at) {
    if (const bool* flag = value.AsBool()) return *flag;
    return from_value::Mismatch(value, "bool", at);
  }
};

template <>
struct FromValue<std::string> {
  static Result<std::string> Read(const Value& value, const ValuePath& at) {
    if (const std::string* text = value.AsString()) return *text;
    return from_value::Mismatch(value, "string", at);
  }
};

template <>
struct FromValue<Bytes> {
  static Result<Bytes> Read(const Value& value, const ValuePath& at) {
    return from_value::ReadBytes(value, at);
  }
};

template <>
struct FromValue<Value::Map> {
  static Result<Value::Map> Read(const Value& value, const ValuePath& at) {
    const auto members = from_value::ReadMembers(value, at);
    if (!members) return Failure(members.error());
    Value::Map map;
    for (const auto& [key, member] : *members) map.emplace_back(key, *member);
    return map;
  }
};

template <Integer T>
struct FromValue<T> {
  static Result<T> Read(const Value& value, const ValuePath& at) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::unsigned_integral<T>) {
      return Narrow(from_value::ReadUnsigned(value, at, Limits::max()));
    } else {
      return Narrow(from_value::ReadSigned(value, at, Limits::min(), Limits::max()));
    }
  }

 private:
  template <typename Wide>
  static Result<T> Narrow(Result<Wide> number) {
    if (!number) return Failure(std::move(number).error());
    return T(*number);
  }
};

template <FloatingPoint T>
struct FromValue<T> {
  static Result<T> Read(const Value& value, const ValuePath& at) {
    Result<double> number = from_value::ReadNumber(value, at, std::numeric_limits<T>::max());
    if (!number) return Failure(std::move(number).error());
    return T(*number);
  }
};

template <typename T>
struct FromValue<std::optional<T>> {
  static Result<std::optional<T>> Read(const Value& value, const ValuePath& at) {
    if (value.IsNull()) return std::optional<T>();
    Result<T> read = FromValue<T>::Read(value, at);
    if (!read) return Failure(std::move(read).error());
    return std::optional<T>(*std::move(read));
  }
};

template <typename T>
struct FromValue<std::map<std::string, T>> {
  static Result<std::map<std::string, T>> Read(const Value& value, const ValuePath& at) {
    const auto found = from_value::ReadMembers(value, at);
    if (!found) return Failure(found.error());
    std::map<std::string, T> members;
    for (const auto& [key, member] : *found) {
      Result<T> read = FromValue<T>::Read(*member, ValuePath(at, key));
      if (!read) return Failure(std::move(read).error());
      members.emplace(key, *std::move(read));
    }
    return members;
  }
};

template <typename T>
struct FromValue<NdArray<T>> {
  static Result<NdArray<T>> Read(const Value& value, const ValuePath& at) {
    constexpr char kKind = std::is_floating_point_v<T> ? 'f' : (std::is_unsigned_v<T> ? 'u' : 'i');
    Result<from_value::ArrayContent> content = from_value::ReadArray(value, at, kKind, sizeof(T));
    if (!content) return Failure(std::move(content).error());
    NdArray<T> array{{}, std::move(content->shape)};
    if constexpr (kIsFirstOfKind<T>) {
      const auto items =
          at.is_last_use ? from_value::TakeItems(value, *content, kKind, sizeof(T)) : nullptr;
      if (items) {
        array.items = std::move(*static_cast<std::vector<T>*>(items.get()));
        return array;
      }
    }
    const std::size_t count = content->bytes.size() / sizeof(T);
    array.items.reserve(count);
    from_value::PrepareItems(array.items.data(), count * sizeof(T));
    array.items.resize(count);
    if (count > 0) std::memcpy(array.items.data(), content->bytes.data(), content->bytes.size());
    for (const Value* number : content->numbers) {
      Result<T> item = FromValue<T>::Read(*number, at);
      if (!item) return Failure(std::move(item).error());
      array.items.push_back(*item);
    }
    return array;
  }
};

template <typename T>
struct FromValue<std::vector<T>> {
  static Result<std::vector<T>> Read(const Value& value, const ValuePath& at) {
    if constexpr (ArrayItem<T>) {
      if (from_value::IsArray(value)) return ReadArray(value, at);
    }
    const Value::List* list = from_value::ListIn(value);
    if (list == nullptr) return from_value::Mismatch(value, "list", at);
    std::vector<T> items;
    items.reserve(list->size());
    for (const Value& item : *list) {
      Result<T> read = FromValue<T>::Read(item, ValuePath(at, items.size()));
      if (!read) return Failure(std::move(read).error());
      items.push_back(*std::move(read));
    }
    return items;
  }

 private:
  static Result<std::vector<T>> ReadArray(const Value& value, const ValuePath& at)
    requires ArrayItem<T>
  {
    Result<NdArray<T>> array = FromValue<NdArray<T>>::Read(value, at);
    if (!array) return Failure(std::move(array).error());
    if (array->shape.size() != 1) return from_value::WrongDimensions(array->shape.size(), at);
    return std::move(array->items);
  }
};

template <typename T, std::size_t N>
struct FromValue<std::array<T, N>> {
  static Result<std::array<T, N>> Read(const Value& value, const ValuePath& at) {
    Result<std::vector<T>> items = FromValue<std::vector<T>>::Read(value, at);
    if (!items) return Failure(std::move(items).error());
    if (items->size() != N) return from_value::WrongLength(items->size(), N, at);
    std::array<T, N> array{};
    for (std::size_t i = 0; i < N; ++i) array[i] = std::move((*items)[i]);
    return array;
  }
};

template <typename... T>
struct FromValue<std::tuple<T...>> {
  static Result<std::tuple<T...>> Read(const Value& value, const ValuePath& at) {
    const Value::List* list = from_value::ListIn(value);
    if (list == nullptr) return from_value::Mismatch(value, "tuple", at);
    if (list->size() != sizeof...(T))
      return from_value::WrongLength(list->size(), sizeof...(T), at);
    return ReadItems(*list, at, std::index_sequence_for<T...>());
  }

 private:
  template <std::size_t... I>
  static Result<std::tuple<T...>> ReadItems(const Value::List& list, const ValuePath& at,
                                            std::index_sequence<I...>) {
    std::tuple<Result<T>...> items{FromValue<T>::Read(list[I], ValuePath(at, I))...};
    std::optional<Failure> failed;
    [[maybe_unused]] const auto check = [&](auto& item) {
      if (!item && !failed) failed.emplace(std::move(item).error());
    };
    (check(std::get<I>(items)), ...);
    if (failed) return *std::move(failed);
    return std::tuple<T...>(*std::move(std::get<I>(items))...);
  }
};

template <typename A, typename B>
struct FromValue<std::pair<A, B>> {
  static Result<std::pair<A, B>> Read(const Value& value, const ValuePath& at) {
    Result<std::tuple<A, B>> items = FromValue<std::tuple<A, B>>::Read(value, at);
    if (!items) return Failure(std::move(items).error());
    std::tuple<A, B> both = *std::move(items);
    return std::pair<A, B>(std::get<0>(std::move(both)), std::get<1>(std::move(both)));
  }
};

template <typename T, typename... Steps>
Result<T> Value::As(const Steps&... steps) const& {
  std::array<ValuePath, sizeof...(Steps) + 1> path{ValuePath(), ValuePath(steps)...};
  const Result<const Value*> part = from_value::FindPart(*this, path);
  if (!part) return Failure(part.error());
  return FromValue<T>::Read(**part, path.back());
}

template <typename T, typename... Steps>
Result<T> Value::As(const Steps&... steps) && {
  std::array<ValuePath, sizeof...(Steps) + 1> path{ValuePath(), ValuePath(steps)...};
  const Result<const Value*> part = from_value::FindPart(*this, path);
  if (!part) return Failure(part.error());
  path.back().is_last_use = true;
  return FromValue<T>::Read(**part, path.back());
}

}  // namespace kinetic::inline v0
