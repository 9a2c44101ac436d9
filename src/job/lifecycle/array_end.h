#pragma once

#include "kinetic/result.h"

#include "backend/target.h"
#include "record/job_record.h"
#include "record/outcome.h"

#include <optional>
#include <stop_token>

namespace kinetic::job {

struct Context;

/// Ends the tasks of an array whose job has ended or was abandoned: tasks that have started and have no
/// result are reconciled like jobs, and each task with a result gets its summary. Then returns the
/// outcome of the job, which is not stored.
///
/// @param job    the abandoned job.
/// @param known  how it ended, if the target or its runner knows.
/// @errors       those of ReconcileJob.
Result<record::StoredOutcome> EndArray(Context& context, const record::Record& record,
                                       const backend::AbandonedJob& job,
                                       const std::optional<record::StoredOutcome>& known,
                                       std::stop_token stop);

}  // namespace kinetic::job
