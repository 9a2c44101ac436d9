#pragma once

#include "kinetic/result.h"

#include "record/job_record.h"

#include <cstdint>

namespace kinetic::record {

/// Returns the record of one task, from that of its job: with the ID and the nonce of the task, and
/// with its arguments if the record of the job has them. The runner executes it like a job, and
/// clients find its results, logs and outputs by it.
///
/// @errors  kInvalidArgument: the job has no tasks, or fewer · kDataLoss: the arguments are damaged.
Result<Record> TaskRecord(const Record& job, std::uint32_t task);

/// Returns `job`, or the record of a task if `id` is that of a task.
///
/// @errors  errors of TaskRecord.
Result<Record> RecordFor(std::string_view id, Record job);

}  // namespace kinetic::record
