#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/hash/digest.h"

#include <functional>

namespace kinetic::json {

/// Stores the content of an array or of bytes under its SHA-256, which it returns.
using ContentSink = std::function<Result<Digest>(const Bytes& content)>;

/// Replaces the arrays in the value of a function, and bytes above 64 KiB, by references to their
/// content, as the Python shim does: docs/reference/values.md, "Results".
///
/// @errors  kInvalidArgument: text that is not UTF-8; an array with a wrong number of items · those
///          of `store`.
Status StoreContent(Value& value, const ContentSink& store);

}  // namespace kinetic::json
