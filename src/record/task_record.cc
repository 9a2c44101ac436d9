#include "record/task_record.h"

#include "kinetic/try.h"

#include "record/task_arguments.h"
#include "record/task_id.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::record {

Result<Record> TaskRecord(const Record& job, std::uint32_t task) {
  if (!job.spec.array) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("job {} has no tasks", job.id),
                "leave the task out: only jobs with 'array' have tasks");
  }
  const std::uint32_t count = job.spec.array->count;
  if (task >= count) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("job {} has no task {}", job.id, task),
                fmt::format("its tasks are 0 to {}", count - 1));
  }
  Record record = job;
  record.id = TaskId(job.id, task);
  record.nonce = TaskNonce(job.nonce, task);
  if (!job.arguments_by_task) return record;
  record.inline_arguments.reset();
  record.arguments = {};
  if (!job.inline_arguments) return record;
  KINETIC_ASSIGN_OR_RETURN(record.inline_arguments, ArgumentsLine(*job.inline_arguments, task));
  record.arguments = Sha256::Of(*record.inline_arguments);
  KINETIC_ASSIGN_OR_RETURN(record.spec.args, ArgumentsFromJson(*record.inline_arguments));
  return record;
}

Result<Record> RecordFor(std::string_view id, Record job) {
  const auto name = ParseTaskId(id);
  if (!name) return job;
  return TaskRecord(job, name->task);
}

}  // namespace kinetic::record
