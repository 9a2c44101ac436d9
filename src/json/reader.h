#pragma once

#include "kinetic/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::json {

/// Typed access to the members of an untrusted JSON object. A getter returns a default value if the
/// member is missing or has another type; Finish returns the first such error. Unknown members are
/// ignored. Not thread-safe.
class ObjectReader {
 public:
  /// `where` begins every message: "record.json". `value` outlives the reader.
  ObjectReader(const Value& value, std::string where);

  std::string String(std::string_view key);
  std::optional<std::string> OptionalString(std::string_view key);
  std::int64_t Int(std::string_view key);
  std::optional<std::int64_t> OptionalInt(std::string_view key);
  bool Bool(std::string_view key);
  std::optional<bool> OptionalBool(std::string_view key);
  double Number(std::string_view key);  ///< an integer is taken too
  /// Empty when absent.
  const Value::List& List(std::string_view key);
  const Value::Map& Map(std::string_view key);

  bool Has(std::string_view key) const;
  /// A member of any kind; null when absent.
  const Value* Member(std::string_view key) const;

  /// Records an error of the caller's own about a member, for example a digest that is none.
  void Reject(std::string_view key, std::string_view problem);

  /// @errors  kDataLoss, the first problem met: "record.json: id: expected a string, found a
  ///          number".
  Status Finish() const;

 private:
  const Value* Required(std::string_view key, std::string_view expected);

  const Value& value_;
  std::string where_;
  std::optional<std::string> problem_;
};

/// "a string", "a number", "a list", …: for messages.
std::string_view KindOf(const Value& value);

}  // namespace kinetic::json
