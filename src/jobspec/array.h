#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include <cstdint>

namespace kinetic::jobspec {

/// Returns the arguments of one task: `args` of the job with those of the task. A task's map adds named
/// arguments or replaces them; its list replaces the positional ones, and any other value is the only
/// positional one.
///
/// @errors  kInvalidArgument: the task has named arguments, and the job has positional ones, or the
///          reverse.
Result<Arguments> ArgumentsOfTask(const JobSpec& spec, std::uint32_t task);

}  // namespace kinetic::jobspec
