#pragma once

#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "store/object_store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>

namespace kinetic::local {

/// A function's value as result.json holds it: inline where it is small, or by the digest of
/// value.json.
struct CollectedValue {
  std::optional<Value> inline_value;
  Digest digest;
};

/// Stores exchange/value.json and the arrays beside it as those of one attempt.
///
/// @errors  kNotFound (there is no value) · kDataLoss (an array is not what its name says) · those
///          of Store and FileSystem.
Result<CollectedValue> StoreValue(store::Store& store, FileSystem& fs, const Path& exchange,
                                  std::string_view id, std::uint32_t attempt, std::stop_token stop);

}  // namespace kinetic::local
