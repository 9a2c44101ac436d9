#pragma once

#include "job/context.h"

#include <stop_token>

namespace kinetic::job {

/// Prepares a job, writes its record and starts it. If an identical job already has the given ID,
/// returns that job, and starts it if it was not started.
///
/// @errors  errors of Client::Submit.
Result<JobSummary> SubmitJob(Context& context, const JobSpec& spec, const SubmitOptions& options,
                             std::stop_token stop);

}  // namespace kinetic::job
