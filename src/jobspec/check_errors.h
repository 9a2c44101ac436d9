#pragma once

#include "kinetic/job_spec.h"

namespace kinetic::jobspec {

/// Returns the errors of the functions that made a spec, as one error.
Status CheckErrors(const JobSpec& spec);

}  // namespace kinetic::jobspec
