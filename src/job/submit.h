#pragma once

#include "job/context.h"

#include <stop_token>

namespace kinetic::job {

/// Prepares a job, writes its record and starts it. With the id of a job that is there already and
/// is the same, that one is taken, and started if it was not.
///
/// @errors  those of Client::Submit.
Result<JobSummary> SubmitJob(Context& context, const JobSpec& spec, const SubmitOptions& options,
                             std::stop_token stop);

}  // namespace kinetic::job
