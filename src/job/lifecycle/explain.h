#pragma once

#include "kinetic/explanation.h"

#include "job/context.h"

#include <stop_token>

namespace kinetic::job {

/// Explains the state of a job: from its result if it has one, with what the target still has about
/// its end; otherwise from the target.
///
/// @param known  an earlier summary.
/// @errors       errors of Refresh.
Result<Explanation> ExplainJob(Context& context, JobSummary known, std::stop_token stop);

}  // namespace kinetic::job
