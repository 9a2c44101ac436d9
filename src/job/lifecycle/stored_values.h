#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace kinetic::job {

/// Reads the stored content of a reference.
///
/// @param size_bytes  its size according to the value; 0: unknown.
using ContentReader =
    std::function<Result<Bytes>(std::string_view reference, std::uint64_t size_bytes)>;

/// Replaces the references in a value by their content, as LoadStored does.
Status LoadContent(Value& value, const ContentReader& read);

}  // namespace kinetic::job
