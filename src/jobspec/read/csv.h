#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::jobspec {

/// Parses a table whose first row has the names of its columns. Returns a map for each other row, and
/// the line on which the row begins.
///
/// Quoted cells are text. Other cells without their surrounding spaces are null if they are empty,
/// JSON numbers, true, false, or text. Empty lines are skipped.
///
/// @errors  kInvalidArgument: "3: found 4 fields, expected 2 (lr, seed)", with the line.
/// @source  RFC 4180
Result<std::vector<std::pair<Value, int>>> ParseCsv(std::string_view text);

}  // namespace kinetic::jobspec
