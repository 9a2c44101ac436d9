#pragma once

#include "kinetic/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::json {

/// The maximum size of a stored document.
inline constexpr std::size_t kMaxDocumentBytes = 16U << 20;

/// Formats a document with a checksum: indented JSON whose last member, "check", is the SHA-256 of
/// the bytes before it.
///
/// @source  docs/reference/store.md, "Records"
std::string WriteDocument(Value::Map members);

/// Parses a document and verifies its checksum, if it has one.
///
/// @param where  begins every message: "record.json".
/// @errors       kDataLoss: invalid JSON, too large, or a checksum mismatch.
Result<Value> ReadDocument(std::string_view text, std::string_view where);

/// Returns the string at `key`, or "" if there is none.
std::string TextAt(const Value& value, std::string_view key);

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
  double Number(std::string_view key);  ///< also accepts an integer
  /// Return an empty value if the member is missing.
  const Value::List& List(std::string_view key);
  const Value::Map& Map(std::string_view key);

  bool Has(std::string_view key) const;
  /// Returns a member of any type, or null if it is missing.
  const Value* Member(std::string_view key) const;

  /// Records an error about a member, for example an invalid digest.
  void Reject(std::string_view key, std::string_view problem);

  /// @errors  kDataLoss, the first error: "record.json: id: expected a string, found a
  ///          number".
  Status Finish() const;

 private:
  const Value* Required(std::string_view key, std::string_view expected);

  const Value& value_;
  std::string where_;
  std::optional<std::string> problem_;
};

/// Returns the type for messages: "a string", "a number", "a list".
std::string_view KindOf(const Value& value);

}  // namespace kinetic::json
