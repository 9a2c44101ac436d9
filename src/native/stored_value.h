#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"

#include <cstdint>

namespace kinetic::inline v0::native {

/// Writes the value of a function to {exchange}/value.json, and the content of
/// arrays and long bytes to files in {exchange}/values: json::StoreContent. Returns the size of the
/// JSON in bytes.
///
/// @errors  kInvalidArgument: text that is not UTF-8; an array with a wrong number of items ·
///          kResourceExhausted: the JSON is longer than 64 MiB · those of FileSystem.
Result<std::uint64_t> WriteValue(FileSystem& fs, Value value, const Path& exchange);

}  // namespace kinetic::inline v0::native
