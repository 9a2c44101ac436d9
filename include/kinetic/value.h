#pragma once

#include "kinetic/result.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kinetic::json {
class Content;
}

namespace kinetic::inline v0 {

/// The integer types of up to 64 bits, without bool and the character types.
template <typename T>
concept Integer =
    std::integral<T> && sizeof(T) <= sizeof(std::int64_t) && !std::same_as<T, bool> &&
    !std::same_as<T, char> && !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
    !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// The floating-point types, without long double, which no value can hold.
template <typename T>
concept FloatingPoint = std::same_as<T, float> || std::same_as<T, double>;

/// The item types of arrays.
template <typename T>
concept ArrayItem = Integer<T> || FloatingPoint<T>;

/// Whether T is the first of the C++ types for numbers of its kind and size. `long long` is not.
template <typename T>
inline constexpr bool kIsFirstOfKind =
    FloatingPoint<T> || std::same_as<T, std::int8_t> || std::same_as<T, std::int16_t> ||
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;

/// An array of numbers, in row-major order.
template <ArrayItem T>
struct NdArray {
  std::vector<T> items;
  std::vector<std::size_t> shape;
  bool operator==(const NdArray&) const = default;
};

/// Immutable bytes. Copies share them.
///
/// @threads  safe to call concurrently.
class KINETIC_EXPORT Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::string content);

  std::string_view view() const;
  bool operator==(const Bytes& other) const;

 private:
  friend class json::Content;
  std::shared_ptr<json::Content> content_;
};

/// A JSON value, for arguments and results.
///
/// Maps keep their order. Values that JSON lacks (big integers, bytes, tuples, arrays) are maps in
/// the tagged forms of docs/reference/values.md.
///
/// @threads  as std::string: concurrent reads are safe.
class KINETIC_EXPORT Value {
 public:
  using List = std::vector<Value>;
  using Map = std::vector<std::pair<std::string, Value>>;

  Value() = default;
  Value(std::nullptr_t) {}
  template <std::same_as<bool> T>
  Value(T value) : data_(value) {}
  /// An integer above the range of std::int64_t gets the tagged form `$int`.
  template <Integer T>
  Value(T value) : data_(std::in_place_type<std::int64_t>, value) {
    if constexpr (std::unsigned_integral<T> && sizeof(T) == sizeof(std::int64_t)) {
      if (value > INT64_MAX) SetBigInteger(value);
    }
  }
  template <FloatingPoint T>
  Value(T value) : data_(std::in_place_type<double>, value) {}
  Value(char) = delete;  ///< pass a string or an integer
  /// A null pointer, as from std::getenv, becomes null.
  Value(const char* value) {
    if (value != nullptr) data_ = std::string(value);
  }
  Value(std::string value) : data_(std::move(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(List value) : data_(std::move(value)) {}
  Value(Map value) : data_(std::move(value)) {}
  /// Makes the tagged form `$bytes`. A Python function receives bytes.
  Value(Bytes value) : data_(Map{{"$bytes", Content(std::move(value))}}) {}

  /// Returns the content of a tagged form, `$npy` or `$bytes`. In JSON it is a base64 string, with
  /// which it does not compare equal.
  static Value Content(Bytes bytes) {
    Value value;
    value.data_ = std::move(bytes);
    return value;
  }

  /// Makes a map from members. If a name starts with `$`, which marks tagged forms, the map gets the
  /// tagged form `$dict`.
  static Value FromMembers(Map members);

  /// Converts a list, a map, and an optional value (nullopt becomes null) of convertible types.
  template <typename T>
    requires std::convertible_to<const T&, Value>
  Value(const std::vector<T>& items) : data_(List(items.begin(), items.end())) {}
  template <typename T, std::size_t N>
    requires std::convertible_to<const T&, Value>
  Value(const std::array<T, N>& items) : data_(List(items.begin(), items.end())) {}
  template <typename T>
    requires std::convertible_to<const T&, Value>
  Value(const std::map<std::string, T>& members)
      : Value(FromMembers(Map(members.begin(), members.end()))) {}
  template <typename T>
    requires std::convertible_to<const T&, Value>
  Value(const std::optional<T>& value) : Value(value ? Value(*value) : Value()) {}

  /// Converts a pair or a tuple of convertible types to the tagged form `$tuple`.
  template <typename... T>
    requires(std::convertible_to<const T&, Value> && ...)
  Value(const std::tuple<T...>& items)
      : data_(Map{{"$tuple",
                   std::apply([](const T&... item) { return List{Value(item)...}; }, items)}}) {}
  template <typename A, typename B>
    requires std::convertible_to<const A&, Value> && std::convertible_to<const B&, Value>
  Value(const std::pair<A, B>& items) : Value(std::tie(items.first, items.second)) {}

  /// Copies an array in row-major order, in the tagged form `$npy`. A Python function receives a
  /// numpy array.
  ///
  /// @param shape  the lengths of its dimensions. Submitting a job checks that they match the items.
  template <typename T, std::size_t N>
    requires ArrayItem<std::remove_const_t<T>>
  Value(std::span<T, N> items, const std::vector<std::size_t>& shape)
      : Value(FromArray(kArrayKind<T>, std::as_bytes(items), sizeof(T), shape)) {}
  template <typename T>
  Value(const NdArray<T>& array) : Value(std::span(array.items), array.shape) {}
  /// Takes the items of the array instead of copying them.
  template <typename T>
  Value(NdArray<T>&& array) : Value(FromVector(std::move(array.items), array.shape)) {}

  bool IsNull() const { return std::holds_alternative<std::monostate>(data_); }
  const bool* AsBool() const { return std::get_if<bool>(&data_); }
  const std::int64_t* AsInt() const { return std::get_if<std::int64_t>(&data_); }
  const double* AsDouble() const { return std::get_if<double>(&data_); }
  const std::string* AsString() const { return std::get_if<std::string>(&data_); }
  const List* AsList() const { return std::get_if<List>(&data_); }
  const Map* AsMap() const { return std::get_if<Map>(&data_); }
  /// Returns what Content was made from, or null. As<Bytes>() reads the tagged form.
  const Bytes* AsBytes() const { return std::get_if<Bytes>(&data_); }
  List* AsList() { return std::get_if<List>(&data_); }
  Map* AsMap() { return std::get_if<Map>(&data_); }

  /// Converts the value, or a part of it, to a type that a Value can be made from: a number, bool,
  /// std::string, Bytes, Value, std::vector, std::array, std::map, std::optional, std::pair,
  /// std::tuple or NdArray. An integer is also converted to floating point, a tuple or an array of
  /// one dimension to a vector, and a list to a tuple. The items of an array are converted as numbers
  /// are. `std::move(value).As<NdArray<T>>()` does not copy the items if no other Value shares them.
  ///
  ///     value.As<std::vector<double>>()
  ///     value.As<double>("metrics", 3, "loss")
  ///
  /// @param steps  the keys and indexes that lead to the part.
  /// @errors       kInvalidArgument, with the path: "value.metrics[3].loss: expected number, found
  ///               string"; a number that does not fit · kNotFound: no such key or index.
  template <typename T, typename... Steps>
  Result<T> As(const Steps&... steps) const&;
  template <typename T, typename... Steps>
  Result<T> As(const Steps&... steps) &&;

  /// Returns the member `key`, or null if this is not a map or has no such member.
  const Value* Find(std::string_view key) const;

  /// Sets a member. A value of another type becomes a map.
  void Set(std::string key, Value value);

  bool operator==(const Value& other) const = default;

  /// Formats as JSON: on one line, or indented by two spaces with short lists of scalars on one
  /// line. Bytes that are not UTF-8 are replaced. Numbers that are not finite get the tagged form
  /// `$float`.
  std::string ToJson(bool indent = false) const;

  /// Parses JSON.
  ///
  /// @errors  kInvalidArgument: invalid JSON, with line and column; nesting deeper than 500;
  ///          duplicate keys; integers that std::int64_t cannot hold.
  static Result<Value> FromJson(std::string_view text);

 private:
  /// The kind of a numpy dtype: f, u or i.
  template <typename T>
  static constexpr char kArrayKind =
      std::is_floating_point_v<T> ? 'f' : (std::is_unsigned_v<T> ? 'u' : 'i');
  /// @param owner  the std::vector that holds the items; null: they are copied.
  static Value FromArray(char kind, std::span<const std::byte> items, std::size_t item_bytes,
                         const std::vector<std::size_t>& shape,
                         std::shared_ptr<void> owner = nullptr);
  template <typename T>
  static Value FromVector(std::vector<T> items, const std::vector<std::size_t>& shape) {
    if constexpr (!kIsFirstOfKind<T>) return Value(std::span(items), shape);
    const auto owner = std::make_shared<std::vector<T>>(std::move(items));
    return FromArray(kArrayKind<T>, std::as_bytes(std::span(*owner)), sizeof(T), shape, owner);
  }
  void SetBigInteger(std::uint64_t value);

  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map, Bytes> data_;
};

}  // namespace kinetic::inline v0

#include "kinetic/from_value.h"  // NOLINT(misc-header-include-cycle): it defines As
