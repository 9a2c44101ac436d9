#pragma once

#include "backend/target.h"

#include <vector>

namespace kinetic::backend {

/// What of `spec` the local target refuses or does not apply, in the order of
/// docs/reference/job-file.md. What would change the result is refused; what changes only cost or
/// place is listed as not applied.
std::vector<Limitation> CheckLocal(const JobSpec& spec);

}  // namespace kinetic::backend
