#pragma once

#include "kinetic/copy.h"
#include "kinetic/job.h"
#include "kinetic/result.h"

#include "job/context.h"

#include <stop_token>

namespace kinetic::job {

/// Implements Job::CopyFrom.
Result<CopyReport> CopyFromJob(Context& context, const JobSummary& job, const CopyOptions& options,
                               std::stop_token stop);

/// Implements Job::CopyTo.
Result<CopyReport> CopyToJob(Context& context, const JobSummary& job, const CopyOptions& options,
                             std::stop_token stop);

}  // namespace kinetic::job
