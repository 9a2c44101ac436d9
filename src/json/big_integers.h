#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string_view>

namespace kinetic::json {

/// The only key of a map that represents an integer beyond 64 bits; its value is the digits. No JSON
/// has this key, because it is not UTF-8.
inline constexpr std::string_view kBigInteger =
    "\xff"
    "int";

/// Parses JSON like Value::FromJson, but accepts integers of up to 308 digits: {kBigInteger: digits}.
Result<Value> FromJsonWithBigIntegers(std::string_view text);

}  // namespace kinetic::json
