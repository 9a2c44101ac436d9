#pragma once

#include "kinetic/result.h"

#include <string_view>

namespace kinetic::cli {

/// Rejects two options that are mutually exclusive.
///
/// @param one, other  whether each option was given.
/// @errors  kInvalidArgument: both were given.
Status Exclude(bool one, std::string_view first, bool other, std::string_view second);

}  // namespace kinetic::cli
