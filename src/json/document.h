#pragma once

#include "kinetic/value.h"

#include <string>
#include <string_view>

namespace kinetic::json {

/// No document that kinetic keeps is larger.
inline constexpr std::size_t kMaxDocumentBytes = 16U << 20;

/// A document that notices its own damage: indented, with the sha256 of all bytes before it as its
/// last member, "check".
///
/// @source  docs/reference/store.md, "Records"
std::string WriteDocument(Value::Map members);

/// Reads a document. One without a check is taken as it is: people write them too.
///
/// @param where  begins every message: "record.json".
/// @errors       kDataLoss: no JSON, too large, or not what its check says.
Result<Value> ReadDocument(std::string_view text, std::string_view where);

}  // namespace kinetic::json
