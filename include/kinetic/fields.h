#pragma once

#include "kinetic/value.h"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Converts your own types from and to Value.
namespace kinetic::inline v0 {

/// Selects the KineticFields function of a type, which KINETIC_FIELDS defines.
template <typename T>
struct FieldsTag {};

/// A member of a type, by name.
template <typename T, typename Member>
struct Field {
  std::string_view name;
  Member T::* pointer;
};

/// The types with KINETIC_FIELDS.
template <typename T>
concept HasFields = std::is_class_v<T> && requires { KineticFields(FieldsTag<T>()); };

/// The implementation of the conversions below.
namespace fields {

/// The number of items up to which a list of numbers is readable JSON instead of an array.
inline constexpr std::size_t kMaxListItems = 256;

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <>
inline constexpr bool kIsVector<Value::Map> = false;  // which Value converts
template <>
inline constexpr bool kIsVector<Value::List> = false;
template <typename T>
inline constexpr bool kIsStdArray = false;
template <typename T, std::size_t N>
inline constexpr bool kIsStdArray<std::array<T, N>> = true;
template <typename T>
inline constexpr bool kIsNumbers = false;
template <ArrayItem T>
inline constexpr bool kIsNumbers<std::vector<T>> = true;
template <ArrayItem T, std::size_t N>
inline constexpr bool kIsNumbers<std::array<T, N>> = true;
template <typename T>
inline constexpr bool kIsMap = false;
template <typename T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsTuple = false;
template <typename... T>
inline constexpr bool kIsTuple<std::tuple<T...>> = true;
template <typename A, typename B>
inline constexpr bool kIsTuple<std::pair<A, B>> = true;

/// Returns a part of an object that is a T as an lvalue, or as an rvalue if the object is one.
template <typename T, typename Part>
decltype(auto) PartOf(Part& part) {
  if constexpr (std::is_lvalue_reference_v<T>)
    return (part);
  else
    return std::move(part);
}

/// Converts a vector of numbers to an array. Takes the items of an rvalue.
template <typename T>
Value ArrayOf(T&& numbers) {
  using Item = typename std::remove_cvref_t<T>::value_type;
  const std::vector<std::size_t> shape{numbers.size()};
  if constexpr (std::is_same_v<T, std::vector<Item>>)
    return Value(NdArray<Item>{std::move(numbers), shape});
  else
    return Value(std::span<const Item>(numbers), shape);
}

}  // namespace fields

/// Converts an object to a Value: a type that Value converts itself, an enumeration (as its
/// number), a type with KINETIC_FIELDS (as a map), a type with FromValue::Write, or a std::vector,
/// std::array, std::map<std::string, T>, std::pair, std::tuple or std::optional of these. More than
/// 256 numbers in a std::vector or std::array become an array, but not in a list of lists. Takes the
/// items of arrays in an rvalue instead of copying them.
template <typename Object>
Value ToValue(Object&& object) {
  using T = std::remove_cvref_t<Object>;
  if constexpr (HasFields<T>) {
    Value::Map members;
    const auto add = [&](const auto&... field) {
      (members.emplace_back(std::string(field.name),
                            ToValue(std::forward<Object>(object).*field.pointer)),
       ...);
    };
    std::apply(add, KineticFields(FieldsTag<T>()));
    return members;
  } else if constexpr (std::is_enum_v<T>) {
    return Value(static_cast<std::underlying_type_t<T>>(object));
  } else if constexpr (fields::kIsOptional<T>) {
    return object ? ToValue(*std::forward<Object>(object)) : Value();
  } else if constexpr (fields::kIsVector<T>) {
    if constexpr (ArrayItem<typename T::value_type>) {
      if (object.size() > fields::kMaxListItems)
        return fields::ArrayOf(std::forward<Object>(object));
    }
    Value::List items;
    items.reserve(object.size());
    for (auto&& item : object) {
      if constexpr (fields::kIsNumbers<typename T::value_type>) {
        items.push_back(Value(item));  // a list, because many small arrays are slow
      } else if constexpr (std::is_same_v<typename T::value_type, bool>) {
        items.push_back(Value(bool{item}));  // a proxy
      } else {
        items.push_back(ToValue(fields::PartOf<Object>(item)));
      }
    }
    return items;
  } else if constexpr (fields::kIsMap<T>) {
    Value::Map members;
    for (auto& [key, member] : object)
      members.emplace_back(key, ToValue(fields::PartOf<Object>(member)));
    return Value::FromMembers(std::move(members));
  } else if constexpr (fields::kIsTuple<T>) {
    const auto convert = [](auto&&... item) {
      return Value::List{ToValue(std::forward<decltype(item)>(item))...};
    };
    return Value::Map{{"$tuple", std::apply(convert, std::forward<Object>(object))}};
  } else if constexpr (fields::kIsStdArray<T>) {
    return ToValue(std::vector<typename T::value_type>(object.begin(), object.end()));
  } else if constexpr (std::is_convertible_v<const T&, Value>) {
    return Value(std::forward<Object>(object));
  } else if constexpr (requires { FromValue<T>::Write(object); }) {
    return FromValue<T>::Write(object);
  } else {
    static_assert(kHasCodec<T>,
                  "this type cannot be converted to a kinetic::Value: add "
                  "KINETIC_FIELDS(Type, member, ...) after its definition, in its namespace; for a "
                  "type of another library, specialize kinetic::FromValue with Read and Write");
  }
}

/// Reads a map, a Python dataclass or a named tuple. All fields are required, except those of type
/// std::optional. Other members are ignored.
template <HasFields T>
struct FromValue<T> {
  static_assert(std::is_default_constructible_v<T>,
                "a type with KINETIC_FIELDS needs a default constructor");

  static Result<T> Read(const Value& value, const ValuePath& at) {
    if (!from_value::HasMembers(value)) return from_value::Mismatch(value, "map", at);
    T object;
    Status read;
    const auto read_all = [&](const auto&... field) {
      ((read = read ? ReadField(value, at, field, object) : std::move(read)), ...);
    };
    std::apply(read_all, KineticFields(FieldsTag<T>()));
    if (!read) return Failure(std::move(read).error());
    return object;
  }

 private:
  template <typename Member>
  static Status ReadField(const Value& value, const ValuePath& at, const Field<T, Member>& field,
                          T& object) {
    const ValuePath path(at, field.name);
    const Value* member = from_value::MemberIn(value, field.name);
    if (member == nullptr && fields::kIsOptional<Member>) return {};
    if (member == nullptr) return Fail(ErrorCode::kNotFound, path.ToString() + ": not found");
    Result<Member> read = FromValue<Member>::Read(*member, path);
    if (!read) return Failure(std::move(read).error());
    object.*field.pointer = *std::move(read);
    return {};
  }
};

/// Reads the number of an enumeration.
template <typename T>
  requires std::is_enum_v<T>
struct FromValue<T> {
  static Result<T> Read(const Value& value, const ValuePath& at) {
    auto number = FromValue<std::underlying_type_t<T>>::Read(value, at);
    if (!number) return Failure(std::move(number).error());
    return static_cast<T>(*number);
  }
};

}  // namespace kinetic::inline v0

// Applies a macro to each argument; up to 256 of them.
#define KINETIC_PARENS_ ()
#define KINETIC_EXPAND_(...) \
  KINETIC_EXPAND_4_(KINETIC_EXPAND_4_(KINETIC_EXPAND_4_(KINETIC_EXPAND_4_(__VA_ARGS__))))
#define KINETIC_EXPAND_4_(...) \
  KINETIC_EXPAND_3_(KINETIC_EXPAND_3_(KINETIC_EXPAND_3_(KINETIC_EXPAND_3_(__VA_ARGS__))))
#define KINETIC_EXPAND_3_(...) \
  KINETIC_EXPAND_2_(KINETIC_EXPAND_2_(KINETIC_EXPAND_2_(KINETIC_EXPAND_2_(__VA_ARGS__))))
#define KINETIC_EXPAND_2_(...) \
  KINETIC_EXPAND_1_(KINETIC_EXPAND_1_(KINETIC_EXPAND_1_(KINETIC_EXPAND_1_(__VA_ARGS__))))
#define KINETIC_EXPAND_1_(...) __VA_ARGS__
#define KINETIC_FIELD_(type, member) \
  ::kinetic::Field<type, decltype(type::member)> { #member, &type::member }
#define KINETIC_EACH_FIELD_(type, member, ...) \
  KINETIC_FIELD_(type, member)                 \
  __VA_OPT__(, KINETIC_EACH_FIELD_AGAIN_ KINETIC_PARENS_(type, __VA_ARGS__))
#define KINETIC_EACH_FIELD_AGAIN_() KINETIC_EACH_FIELD_

/// Makes a type convertible from and to Value by its members. Use it in the namespace of the type,
/// after the type.
///
///     struct Options { double rate = 0.1; std::vector<int> layers; };
///     KINETIC_FIELDS(Options, rate, layers);
#define KINETIC_FIELDS(type, ...)                                                                \
  [[maybe_unused]] constexpr auto KineticFields(::kinetic::FieldsTag<type>) {                    \
    return std::make_tuple(__VA_OPT__(KINETIC_EXPAND_(KINETIC_EACH_FIELD_(type, __VA_ARGS__)))); \
  }                                                                                              \
  static_assert(std::is_class_v<type>)
