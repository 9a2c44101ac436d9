#pragma once

#include "kinetic/value.h"

#include <optional>

namespace kinetic::json {

/// Returns the content of the tagged forms `$npy` and `$bytes`: the bytes themselves, or those of a
/// string in base64. Returns nullopt for other values.
std::optional<Bytes> BytesIn(const Value& content);

}  // namespace kinetic::json
