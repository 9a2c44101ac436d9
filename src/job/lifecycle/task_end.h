#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include "record/outcome.h"

#include <optional>
#include <stop_token>
#include <string_view>

/// The state of one task of an array. It depends on that of its job: a task without a result ends with
/// its job.
namespace kinetic::job {

struct Context;

/// Returns the result of a task, or nullopt if its job may still run it. A task that the job skipped
/// counts as cancelled, and nothing is stored for it.
///
/// @param id  of the task.
Result<std::optional<record::StoredOutcome>> FindTaskEnd(Context& context, std::string_view id,
                                                         std::stop_token stop);

/// Returns the current state of a task.
///
/// @param known  an earlier summary.
Result<JobSummary> RefreshTask(Context& context, JobSummary known, std::stop_token stop);

/// Cancels a task that has not started: its result is stored, and its job will not run it. Does nothing
/// if the task has a result.
Status CancelWaitingTask(Context& context, std::string_view id, std::stop_token stop);

}  // namespace kinetic::job
