#pragma once

#include "kinetic/result.h"

#include <string_view>

namespace kinetic::cli {

/// Refuses two options that together would have no effect.
///
/// @param one, other  whether they are given.
/// @errors  kInvalidArgument: both are.
Status Exclude(bool one, std::string_view first, bool other, std::string_view second);

}  // namespace kinetic::cli
