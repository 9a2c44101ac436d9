#include "job/lifecycle/task_end.h"

#include "kinetic/try.h"

#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "record/ended_task.h"
#include "record/index.h"
#include "record/object_names.h"
#include "record/task_id.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kinetic::job {
namespace {

record::StoredOutcome CancelledOutcome(record::JobKey task, std::string reason) {
  record::StoredOutcome stored;
  stored.job = std::move(task);
  stored.outcome.state = JobState::kCancelled;
  stored.outcome.exit_code = record::kExitCancelled;
  stored.outcome.exit_source = ExitSource::kKinetic;
  stored.outcome.phase = Phase::kQueue;
  stored.outcome.reason = std::move(reason);
  stored.written_by = "client";
  return stored;
}

}  // namespace

Result<std::optional<record::StoredOutcome>> FindTaskEnd(Context& context, std::string_view id,
                                                         std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto result, ReadResult(context, id, stop));
  if (result) return result;
  const std::string job(record::JobPart(id));
  KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, job, stop));
  if (!record) return NoRecord(job);
  KINETIC_ASSIGN_OR_RETURN(const JobSummary now,
                           Refresh(context, record::SummaryOf(*record), stop));
  if (!IsTerminal(now.state)) return result;
  KINETIC_ASSIGN_OR_RETURN(result, ReadResult(context, id, stop));  // written meanwhile
  if (result) return result;
  KINETIC_ASSIGN_OR_RETURN(record::JobKey key, FindKey(context, id, std::move(stop)));
  return std::optional(CancelledOutcome(
      std::move(key), "did not run: job " + job + " " + std::string(Name(now.state))));
}

Result<JobSummary> RefreshTask(Context& context, JobSummary known, std::stop_token stop) {
  if (IsTerminal(known.state)) return known;
  KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(context, known.id, stop));
  if (observed && observed->alive && !IsTerminal(observed->status.state)) {
    return WithObservation(std::move(known), *observed);
  }
  KINETIC_ASSIGN_OR_RETURN(const auto ended, FindTaskEnd(context, known.id, stop));
  if (!ended) {
    known.state = JobState::kQueued;
    known.reason = "waits for its turn";
    return known;
  }
  known.state = ended->outcome.state;
  known.reason = ended->outcome.reason;
  known.attempt = ended->outcome.attempt;
  const auto time_of = [&](std::string_view name) -> std::optional<WallTime> {
    const auto found = std::ranges::find(ended->moments, name, &record::Moment::name);
    return found == ended->moments.end() ? std::nullopt : std::optional(found->time);
  };
  known.node_time = ended->node_time;
  known.started = time_of("started");
  known.finished = time_of("ended");
  return known;
}

Status CancelWaitingTask(Context& context, std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(record::JobKey key, FindKey(context, id, stop));
  const auto stored = CancelledOutcome(std::move(key), "cancelled before it started");
  KINETIC_ASSIGN_OR_RETURN(
      const auto put, store::PutBytes(*context.store, record::ResultName(id),
                                      record::ToJson(stored), store::Precondition::Absent(), stop));
  if (!put) return {};
  return record::WriteEndedTask(*context.store, stored, std::move(stop));
}

}  // namespace kinetic::job
