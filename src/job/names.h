#pragma once

#include "kinetic/result.h"

#include <string_view>

namespace kinetic::job {

/// Whether `id` can be a job's id: 1 to 50 characters of a-z, 0-9 and '-', no '-' at either end.
/// It is part of object names, file names and, on clusters, of resource names.
///
/// @errors  kInvalidArgument.
Status CheckId(std::string_view id);

}  // namespace kinetic::job
