#include "job/lifecycle/array_end.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/time/clock.h"
#include "job/context.h"
#include "job/lifecycle/outcome.h"
#include "job/lifecycle/reconcile.h"
#include "record/ended_task.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "record/task_counts.h"
#include "record/task_id.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

/// Number of tasks to end concurrently.
constexpr std::size_t kTaskThreads = 8;

/// What the store has of the tasks of an array.
struct StoredTasks {
  explicit StoredTasks(std::uint32_t count) : has_summary(count), has_started(count) {}

  std::vector<bool> has_summary;
  std::vector<bool> has_started;  ///< there is any object of the task
  TaskCounts counts;
  std::optional<WallTime> first_start;
  std::optional<WallTime> last_end;
  std::chrono::milliseconds node_time{};
};

Status ReadSummaries(Context& context, const record::Record& record, StoredTasks& tasks,
                     const std::stop_token& stop) {
  tasks.counts = {.tasks = record.spec.array->count};
  tasks.has_summary.assign(tasks.has_summary.size(), false);
  tasks.node_time = {};
  return record::ListEndedTasks(
      *context.store, KeyOf(record), 0,
      [&](const TaskSummary& ended) -> Result<bool> {
        if (ended.task >= tasks.has_summary.size()) return true;
        tasks.has_summary[ended.task] = true;
        record::Count(ended.state, tasks.counts);
        if (ended.started) {
          tasks.first_start = std::min(tasks.first_start.value_or(*ended.started), *ended.started);
        }
        tasks.last_end = std::max(tasks.last_end, ended.finished);
        tasks.node_time = record::AddNodeTimes(tasks.node_time, ended.node_time);
        return true;
      },
      stop);
}

/// Finds the tasks that have started. Only those without a summary are of interest.
Status FindStarted(Context& context, const record::Record& record, StoredTasks& tasks,
                   const std::stop_token& stop) {
  return context.store->List(
      record::TasksFolder(record.id), {},
      [&](const store::ObjectInfo& info) -> Result<bool> {
        const auto id = record::ParseTaskId(std::string_view(info.name).substr(
            record::kJobPrefix.size(), record::TaskId(record.id, 0).size()));
        if (id && id->task < tasks.has_started.size()) tasks.has_started[id->task] = true;
        return true;
      },
      stop);
}

/// Ends one task that has started.
Status EndTask(Context& context, const record::Record& record, std::uint32_t task,
               const backend::AbandonedJob& job, const std::stop_token& stop) {
  const std::string id = record::TaskId(record.id, task);
  KINETIC_ASSIGN_OR_RETURN(auto result, ReadResult(context, id, stop));
  if (!result) {
    backend::AbandonedJob abandoned = job;
    abandoned.id = id;
    abandoned.outcome_location.clear();
    KINETIC_RETURN_IF_ERROR(ReconcileJob(context, abandoned, stop));
    KINETIC_ASSIGN_OR_RETURN(result, ReadResult(context, id, stop));
  }
  if (!result) return {};
  return record::WriteEndedTask(*context.store, *result, stop);
}

/// Adds the times that the target did not know.
void AddTimes(const StoredTasks& tasks, record::StoredOutcome& stored) {
  const auto add = [&](const char* name, std::optional<WallTime> time) {
    if (!time || std::ranges::count(stored.moments, name, &record::Moment::name) != 0) return;
    stored.moments.push_back({name, *time, {}});
    stored.outcome.timeline.emplace_back(name, *time);
  };
  add("started", tasks.first_start);
  add("finished", tasks.last_end);
}

}  // namespace

Result<record::StoredOutcome> EndArray(Context& context, const record::Record& record,
                                       const backend::AbandonedJob& job,
                                       const std::optional<record::StoredOutcome>& known,
                                       std::stop_token stop) {
  StoredTasks tasks(record.spec.array->count);
  KINETIC_RETURN_IF_ERROR(ReadSummaries(context, record, tasks, stop));
  if (tasks.counts.Ended() < tasks.counts.tasks) {
    KINETIC_RETURN_IF_ERROR(FindStarted(context, record, tasks, stop));
    std::vector<std::uint32_t> left;
    for (std::uint32_t task = 0; task < tasks.counts.tasks; ++task) {
      if (tasks.has_started[task] && !tasks.has_summary[task]) left.push_back(task);
    }
    KINETIC_RETURN_IF_ERROR(
        ParallelFor(kTaskThreads, left.size(), stop, [&](std::size_t i, const std::stop_token& s) {
          return EndTask(context, record, left[i], job, s);
        }));
    if (!left.empty()) KINETIC_RETURN_IF_ERROR(ReadSummaries(context, record, tasks, stop));
  }
  record::StoredOutcome stored;
  if (known) stored = *known;
  const bool succeeded = tasks.counts.succeeded == tasks.counts.tasks;
  const bool was_cancelled = known && known->outcome.state == JobState::kCancelled;
  const bool has_run = tasks.counts.Ended() == tasks.counts.tasks && !was_cancelled;
  const bool has_failed = known && known->outcome.state == JobState::kFailed;
  if (succeeded) {
    stored.outcome.state = JobState::kSucceeded;
    stored.outcome.exit_code = 0;
    stored.outcome.reason.clear();
  } else if (has_run || (has_failed && tasks.counts.Ended() != 0)) {
    stored.outcome.state = JobState::kFailed;
    stored.outcome.exit_code = record::kExitException;
    stored.outcome.reason = record::FailureText(tasks.counts);
  } else if (!known) {
    stored.outcome.state = JobState::kLost;
    stored.outcome.exit_code = record::kExitLost;
    stored.outcome.exit_source = ExitSource::kKinetic;
    stored.outcome.reason = job.evidence + "; " + tasks.counts.ToString();
  } else {
    stored.outcome.reason += "; " + tasks.counts.ToString();
  }
  if (job.status && stored.moments.empty()) {
    stored.moments = job.status->timeline;
    for (const auto& moment : stored.moments)
      stored.outcome.timeline.emplace_back(moment.name, moment.time);
  }
  AddTimes(tasks, stored);
  stored.outcome.tasks = tasks.counts;
  stored.node_time = tasks.node_time;
  return stored;
}

}  // namespace kinetic::job
