#pragma once

#include "kinetic/result.h"

#include "job/gc/collection.h"

namespace kinetic::job {

/// Removes jobs that are old enough, and the rest of interrupted submissions.
Status CollectJobs(Collection& gc);

/// Removes checkpoints left by an interrupted removal, or by a runner that outlived its job.
Status CollectCheckpoints(Collection& gc);

/// Warns about damaged results, values and logs of the kept jobs.
Status VerifyJobs(Collection& gc);

}  // namespace kinetic::job
