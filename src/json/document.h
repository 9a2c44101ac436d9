#pragma once

#include "kinetic/value.h"

#include <string>
#include <string_view>

namespace kinetic::json {

/// No document that kinetic keeps is larger.
inline constexpr std::size_t kMaxDocumentBytes = 16U << 20;

/// Formats a document with a checksum: indented JSON whose last member, "check", is the SHA-256 of
/// the bytes before it.
///
/// @source  docs/reference/store.md, "Records"
std::string WriteDocument(Value::Map members);

/// Parses a document and verifies its checksum, if it has one.
///
/// @param where  begins every message: "record.json".
/// @errors       kDataLoss: no JSON, too large, or not what its check says.
Result<Value> ReadDocument(std::string_view text, std::string_view where);

/// Returns the text of a map's member, or "" if `value` has no text at `key`.
std::string TextAt(const Value& value, std::string_view key);

}  // namespace kinetic::json
