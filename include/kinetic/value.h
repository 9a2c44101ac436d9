#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kinetic {

/// A JSON value, for arguments and results.
///
/// Maps keep their order. Values that JSON lacks (NaN, big integers, bytes, tuples, arrays) are
/// maps in the tagged forms of docs/reference/values.md.
///
/// @threads  as std::string: concurrent reads are safe.
class KINETIC_EXPORT Value {
 public:
  using List = std::vector<Value>;
  using Map = std::vector<std::pair<std::string, Value>>;

  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  Value(int value) : data_(std::int64_t{value}) {}
  Value(std::int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(List value) : data_(std::move(value)) {}
  Value(Map value) : data_(std::move(value)) {}

  bool IsNull() const { return std::holds_alternative<std::monostate>(data_); }
  const bool* AsBool() const { return std::get_if<bool>(&data_); }
  const std::int64_t* AsInt() const { return std::get_if<std::int64_t>(&data_); }
  const double* AsDouble() const { return std::get_if<double>(&data_); }
  const std::string* AsString() const { return std::get_if<std::string>(&data_); }
  const List* AsList() const { return std::get_if<List>(&data_); }
  const Map* AsMap() const { return std::get_if<Map>(&data_); }
  List* AsList() { return std::get_if<List>(&data_); }
  Map* AsMap() { return std::get_if<Map>(&data_); }

  /// Returns the member `key`, or null if this is not a map or has no such member.
  const Value* Find(std::string_view key) const;

  /// Sets a member. A value of another type becomes a map.
  void Set(std::string key, Value value);

  bool operator==(const Value& other) const = default;

  /// Formats as JSON: on one line, or indented by two spaces with short lists of scalars on one
  /// line. Bytes that are not UTF-8 are replaced.
  std::string ToJson(bool indent = false) const;

  /// Parses JSON.
  ///
  /// @errors  kInvalidArgument, with line and column: invalid JSON, nesting deeper than 500,
  ///          duplicate keys, integers above 64 bits.
  static Result<Value> FromJson(std::string_view text);

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map> data_;
};

}  // namespace kinetic
