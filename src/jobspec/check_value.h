#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string>

namespace kinetic::jobspec {

/// Checks that JSON can hold the text of an argument, that its arrays are complete, and that it has
/// at most 400 levels.
///
/// @param where  for messages: "args.x".
/// @errors       kInvalidArgument.
Status CheckValue(const Value& value, const std::string& where);

}  // namespace kinetic::jobspec
