#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/hash/digest.h"

#include <functional>
#include <string_view>

namespace kinetic::json {

/// Receives the content of an array or of bytes, and its SHA-256.
using ContentSink = std::function<Status(const Digest& sha256, std::string_view content)>;

/// Replaces the arrays in the value of a function, and bytes above 64 KiB, by references to their
/// content, as the Python shim does: docs/reference/values.md, "Results".
///
/// @errors  kInvalidArgument: text that is not UTF-8; an array with a wrong number of items · those
///          of `store`.
Status StoreContent(Value& value, const ContentSink& store);

}  // namespace kinetic::json
