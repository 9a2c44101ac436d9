#pragma once

#include "kinetic/value.h"

#include <string_view>

namespace kinetic::json {

/// Parses TOML 1.0. Dates and times become strings as written in RFC 3339.
///
/// @errors  kInvalidArgument: the parser's message, with the details "line" and "column".
/// @source  https://toml.io/en/v1.0.0
Result<Value> ParseToml(std::string_view text);

}  // namespace kinetic::json
