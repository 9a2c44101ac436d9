#pragma once

#include "kinetic/value.h"

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

}  // namespace kinetic::json
