#pragma once

#include "kinetic/value.h"

#include <optional>
#include <string_view>

namespace kinetic::json {

/// Returns the content of a tagged form, a map with this key only, or null.
const Value* Tagged(const Value& value, std::string_view tag);

/// Returns the content of the tagged forms `$npy` and `$bytes`: the bytes themselves, or those of a
/// string in base64. Returns nullopt for other values.
std::optional<Bytes> BytesIn(const Value& content);

}  // namespace kinetic::json
