#pragma once

#include "backend/target.h"
#include "backend/watched_job.h"

#include <functional>
#include <stop_token>

namespace kinetic::backend {

/// Target::Watch for a job on a cluster. The end comes from whichever tells it first: the
/// collector's last line, the job's container, the Job's condition. A job that does not start
/// within timeouts.pending, or never can, is ended with that cause.
Status WatchJob(const WatchedJob& job, const std::function<Status(const Observation&)>& each,
                std::stop_token stop);

}  // namespace kinetic::backend
