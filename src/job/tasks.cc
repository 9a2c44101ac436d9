#include "kinetic/tasks.h"

#include "kinetic/stored_values.h"
#include "kinetic/tasks_of.h"
#include "kinetic/try.h"

#include "base/time/clock.h"
#include "job/call_until.h"
#include "job/checked.h"
#include "job/handle.h"
#include "job/lifecycle/outcome.h"
#include "job/recorded_job.h"
#include "job/summary.h"
#include "record/ended_task.h"
#include "record/index.h"
#include "record/task_counts.h"
#include "record/task_id.h"
#include "record/task_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace kinetic::inline v0 {

using job::Checked;

namespace {

constexpr std::chrono::milliseconds kFirstPoll{50};
constexpr std::chrono::milliseconds kLongestPoll{1000};

Result<record::Record> RequireArray(job::Context& context, const JobSummary& job,
                                    const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto record,
                           job::RequireRecord(context, job.id, "list the tasks of", stop));
  if (record.spec.array) return record;
  return Fail(ErrorCode::kInvalidArgument, fmt::format("job {} has no tasks", job.id),
              "only jobs with 'array' have tasks");
}

/// Whose tasks to list.
struct ArrayKey {
  record::JobKey job;
  std::uint32_t count = 0;
};

/// Sends no request if the summary has the number of tasks.
Result<ArrayKey> FindArray(job::Context& context, const JobSummary& job,
                           const std::stop_token& stop) {
  if (job.tasks && !job.nonce.empty()) return ArrayKey{{job.id, job.nonce}, job.tasks->tasks};
  KINETIC_ASSIGN_OR_RETURN(const auto record, RequireArray(context, job, stop));
  return ArrayKey{KeyOf(record), record.spec.array->count};
}

/// Returns the summary of a task whose state is not known.
JobSummary UnknownTask(const JobSummary& job, std::uint32_t task) {
  JobSummary summary = job;
  summary.id = record::TaskId(job.id, task);
  summary.nonce = record::TaskNonce(job.nonce, task);
  summary.state = JobSummary().state;
  summary.reason = {};
  summary.started = summary.finished = {};
  summary.attempt = 0;
  summary.node_time = {};
  summary.timeline = {};
  summary.arguments = {};
  summary.tasks = {};
  summary.unique_prefix = {};
  return summary;
}

/// Reports each task once, in listings that see more and more of them.
class NewTasks {
 public:
  NewTasks(job::Context& context, record::JobKey key, std::uint32_t count)
      : context_(context), key_(std::move(key)), seen_(count) {}

  Status Report(const std::function<Status(const TaskSummary&)>& each,
                const std::stop_token& stop) {
    // Skips the tasks at the beginning that are all reported.
    while (first_ < seen_.size() && seen_[first_]) ++first_;
    if (first_ == seen_.size()) return {};
    return record::ListEndedTasks(
        *context_.store, key_, first_,
        [&](const TaskSummary& ended) -> Result<bool> {
          if (ended.task >= seen_.size() || seen_[ended.task]) return true;
          seen_[ended.task] = true;
          has_new_ = true;
          KINETIC_RETURN_IF_ERROR(each(ended));
          return true;
        },
        stop);
  }
  bool IsComplete() const {
    for (std::size_t i = first_; i < seen_.size(); ++i)
      if (!seen_[i]) return false;
    return true;
  }
  bool TakeNew() { return std::exchange(has_new_, false); }

 private:
  job::Context& context_;
  const record::JobKey key_;
  std::vector<bool> seen_;
  std::uint32_t first_ = 0;
  bool has_new_ = false;
};

}  // namespace

std::optional<TaskReference> FindTaskReference(std::string_view id) {
  const auto name = record::ParseTaskId(id);
  return name ? std::optional(TaskReference{std::string(name->job), name->task}) : std::nullopt;
}

Result<TaskCounts> Tasks::Counts(std::stop_token stop) const {
  auto& context = Checked(job_.impl_).context();
  KINETIC_RETURN_IF_ERROR(context.Call("Tasks::Counts", job_.id()));
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job_.Summary(stop));
  if (summary.tasks && summary.tasks->running + summary.tasks->Ended() != 0) return *summary.tasks;
  KINETIC_ASSIGN_OR_RETURN(const ArrayKey array, FindArray(context, summary, stop));
  TaskCounts counts{.tasks = array.count};
  KINETIC_RETURN_IF_ERROR(record::ListEndedTasks(
      *context.store, array.job, 0,
      [&](const TaskSummary& ended) -> Result<bool> {
        record::Count(ended.state, counts);
        return true;
      },
      stop));
  return counts;
}

Result<Job> Tasks::At(std::uint32_t task, std::stop_token stop) const {
  auto& context = Checked(job_.impl_).context();
  KINETIC_RETURN_IF_ERROR(context.Call("Tasks::At", job_.id()));
  const JobSummary& job = Checked(job_.impl_).summary();
  if (job.tasks && task < job.tasks->tasks && !job.nonce.empty()) {
    return Job(
        std::make_shared<Job::Impl>(Checked(job_.impl_).shared_context(), UnknownTask(job, task)));
  }
  KINETIC_ASSIGN_OR_RETURN(const auto record,
                           RequireArray(context, Checked(job_.impl_).summary(), stop));
  KINETIC_ASSIGN_OR_RETURN(const auto own, record::TaskRecord(record, task));
  return Job(
      std::make_shared<Job::Impl>(Checked(job_.impl_).shared_context(), record::SummaryOf(own)));
}

Status Tasks::ListEnded(const std::function<Result<bool>(const TaskSummary&)>& each,
                        std::uint32_t first, std::stop_token stop) const {
  auto& context = Checked(job_.impl_).context();
  KINETIC_RETURN_IF_ERROR(context.Call("Tasks::ListEnded", job_.id()));
  KINETIC_ASSIGN_OR_RETURN(const ArrayKey array,
                           FindArray(context, Checked(job_.impl_).summary(), stop));
  if (first >= array.count) return {};
  return record::ListEndedTasks(*context.store, array.job,
                                record::TaskRange{first, array.count - first}, each,
                                std::move(stop));
}

Result<std::vector<Arguments>> Tasks::ListArguments(std::stop_token stop) const {
  auto& context = Checked(job_.impl_).context();
  KINETIC_RETURN_IF_ERROR(context.Call("Tasks::ListArguments", job_.id()));
  KINETIC_ASSIGN_OR_RETURN(const auto record,
                           RequireArray(context, Checked(job_.impl_).summary(), stop));
  return job::ReadTaskArgumentsOf(context, record, std::move(stop));
}

Result<Value> Tasks::ReadValue(const TaskSummary& ended, std::stop_token stop,
                               OutcomeContent content) const {
  auto& context = Checked(job_.impl_).context();
  KINETIC_RETURN_IF_ERROR(context.Call("Tasks::ReadValue", job_.id()));
  KINETIC_ASSIGN_OR_RETURN(const Job task, At(ended.task, stop));
  const bool succeeded = ended.state == JobState::kSucceeded;
  if (succeeded && content == OutcomeContent::kState) return Value();
  if (succeeded && ended.value) return LoadStored(task, *ended.value, std::move(stop));
  KINETIC_ASSIGN_OR_RETURN(const auto outcome, task.Collect(stop, content));
  if (!outcome) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("task {} of job {} is not finished", ended.task, job_.id()));
  }
  if (outcome->state != JobState::kSucceeded) return Failure(ErrorOf(*outcome));
  return LoadStored(task, outcome->value, std::move(stop));
}

Status Tasks::Each(const std::function<Status(const TaskSummary&)>& ended,
                   const WaitOptions& options) const {
  auto& context = Checked(job_.impl_).context();
  KINETIC_RETURN_IF_ERROR(context.Call("Tasks::Each", job_.id()));
  const auto follow = [&](const std::stop_token& stop) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const ArrayKey array,
                             FindArray(context, Checked(job_.impl_).summary(), stop));
    NewTasks tasks(context, array.job, array.count);
    for (auto pause = kFirstPoll;; pause = std::min(2 * pause, kLongestPoll)) {
      // Before the listing, which then has all tasks of a job that has ended.
      KINETIC_ASSIGN_OR_RETURN(const JobSummary job, job_.Summary(stop));
      KINETIC_RETURN_IF_ERROR(tasks.Report(ended, stop));
      if (IsTerminal(job.state) || tasks.IsComplete()) return {};
      if (tasks.TakeNew()) pause = kFirstPoll;
      KINETIC_RETURN_IF_ERROR(context.clock.Sleep(pause, stop));
    }
  };
  return job::CallUntil(options.deadline, options.stop, "waiting for the tasks of " + job_.id(),
                        follow, job_.id());
}

Failure tasks_of::NotRun(const Job& job, std::uint32_t task) {
  return Fail(ErrorCode::kCancelled, fmt::format("job {} task {} did not run", job.id(), task));
}

}  // namespace kinetic::inline v0
