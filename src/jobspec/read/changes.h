#pragma once

#include "kinetic/job_file.h"
#include "kinetic/job_spec.h"
#include "kinetic/result.h"

namespace kinetic::jobspec {

/// Applies options to the spec of an earlier job, which has no file any more. Each option sets what
/// it would set in a job file: one key, one argument, one variable. Other values stay.
///
/// Other keys, such as those that determine the code or the environment, cannot be changed.
///
/// @param base  as read from a record, with its arguments.
/// @returns     the spec, with the positions of the changed keys only.
/// @errors      kInvalidArgument: errors of ParseJobFile; a key that cannot be changed; a named
///              argument of a job with positional ones; a path outside the job's data.
Result<JobSpec> ChangeSpec(JobSpec base, const JobFileOptions& options);

}  // namespace kinetic::jobspec
