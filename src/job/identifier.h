#pragma once

#include "kinetic/result.h"

#include <string_view>

namespace kinetic::job {

/// Checks that `id` is a valid job ID: 1 to 50 characters of a-z, 0-9 and '-', without '-' at
/// either end. IDs are part of object names, file names and cluster resource names.
///
/// @errors  kInvalidArgument.
Status CheckId(std::string_view id);

}  // namespace kinetic::job
