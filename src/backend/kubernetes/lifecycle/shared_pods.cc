#include "backend/kubernetes/lifecycle/shared_pods.h"

#include "kinetic/try.h"

#include "record/ended_task.h"
#include "record/object_names.h"
#include "record/task_counts.h"

namespace kinetic::backend {

Result<SharedTaskState> ReadSharedTask(store::Store& store, std::string_view id,
                                       const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto result, store.Stat(record::ResultName(id), stop));
  if (result) return SharedTaskState::kEnded;
  KINETIC_ASSIGN_OR_RETURN(const auto claim, store.Stat(record::ClaimName(id, 1), stop));
  return claim ? SharedTaskState::kStarted : SharedTaskState::kWaiting;
}

Status EndedCounts::Correct(record::AttemptStatus& status, const std::stop_token& stop) {
  if (!status.tasks) return {};
  KINETIC_RETURN_IF_ERROR(List(status.tasks->tasks, stop));
  const std::string before = status.tasks->ToString();
  status.tasks->succeeded = ended_.succeeded;
  status.tasks->failed = ended_.failed;
  status.tasks->cancelled = ended_.cancelled;
  if (status.reason.starts_with(before)) {
    status.reason.replace(0, before.size(), status.tasks->ToString());
  }
  return {};
}

Status EndedCounts::List(std::uint32_t tasks, const std::stop_token& stop) {
  seen_.resize(tasks);
  while (first_ < tasks && seen_[first_]) ++first_;
  if (first_ == tasks) return {};
  return record::ListEndedTasks(
      store_, {job_, std::string()}, first_,
      [&](const TaskSummary& task) -> Result<bool> {
        if (task.task >= seen_.size() || seen_[task.task]) return true;
        seen_[task.task] = true;
        record::Count(task.state, ended_);
        return true;
      },
      stop);
}

}  // namespace kinetic::backend
