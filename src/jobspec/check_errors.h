#pragma once

#include "kinetic/job_spec.h"

namespace kinetic::jobspec {

/// Returns the errors of the functions that made a spec, as one error. Without such errors, checks
/// the members that a program may have changed.
///
/// @errors  kInvalidArgument: a value that no job file can have; a variable of `env` that looks like
///          a secret.
Status CheckErrors(const JobSpec& spec);

/// Same, and checks that the job can be submitted.
///
/// @errors  kInvalidArgument: it has no function and no program, or no accelerator.
Status CheckJob(const JobSpec& spec);

}  // namespace kinetic::jobspec
