#pragma once

#include "kinetic/explanation.h"

#include "job/context.h"

#include <stop_token>

namespace kinetic::job {

/// Why a job is in its state: by its result when it has one, with what the target still knows of
/// its end; else as the target explains it.
///
/// @param known  an earlier summary.
/// @errors       those of Refresh.
Result<Explanation> ExplainJob(Context& context, JobSummary known, std::stop_token stop);

}  // namespace kinetic::job
