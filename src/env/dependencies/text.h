#pragma once

#include "kinetic/result.h"

#include <string>

namespace kinetic::env {

/// Decodes UTF-8, or UTF-16 if the byte order mark indicates it. Returns UTF-8 without the mark.
/// @errors  kInvalidArgument: not valid UTF-16.
Result<std::string> DecodeText(std::string bytes);

}  // namespace kinetic::env
