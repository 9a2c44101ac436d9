#include "job/lifecycle/reconcile.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/time/clock.h"
#include "job/lifecycle/array_end.h"
#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "record/job_cost.h"
#include "record/log/segment_writer.h"
#include "record/log/stored_log.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "record/task_id.h"
#include "store/object_store.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::job {
namespace {

/// Number of cluster jobs to reconcile concurrently. Each takes about twenty requests.
constexpr std::size_t kMaxConcurrentJobs = 8;

/// The result of rescuing a log.
struct RescuedLog {
  std::uint64_t records = 0;  ///< of the whole log
  std::string gap;            ///< why its end is missing; empty: complete
};

/// Stores the log records that only the target has. Reads as much as possible of a truncated or
/// damaged spool.
///
/// @errors  errors of a log that is temporarily unreadable.
Result<RescuedLog> RescueLog(Context& context, std::string_view id,
                             const backend::LogAvailability& availability, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const record::JobKey key, FindKey(context, id, stop));
  KINETIC_ASSIGN_OR_RETURN(std::uint64_t next, record::CountLogRecords(*context.store, key, stop));
  if (!availability.unavailable_reason.empty()) {
    if (availability.is_final) return RescuedLog{next, availability.unavailable_reason};
    return Fail(ErrorCode::kUnavailable,
                "the end of its log is not available yet: " + availability.unavailable_reason);
  }
  record::SegmentWriter writer(*context.store, key, stop);
  const auto add = [&](const LogRecord& record) -> Status {
    KINETIC_RETURN_IF_ERROR(writer.Add(record));
    next = record.sequence + 1;
    return {};
  };
  const auto read = context.target->Logs(id, next, false, add, stop);
  const bool refused = !read && read.error().code != ErrorCode::kDataLoss;
  const bool final = availability.is_final && !writer.failed() && !stop.stop_requested();
  if (refused && !final) return Failure(read.error());
  KINETIC_RETURN_IF_ERROR(writer.Flush());
  return RescuedLog{next, refused ? read.error().message : std::string()};
}

/// Returns whether the target has the end of a finished log, because the store did not accept it.
Result<bool> HasEndOfLog(Context& context, std::string_view id, std::uint64_t log_records,
                         std::stop_token stop) {
  if (log_records == 0) return false;
  bool found = false;
  const auto note = [&](const LogRecord&) -> Status {
    found = true;
    return {};
  };
  KINETIC_RETURN_IF_ERROR(context.target->Logs(id, log_records - 1, false, note, std::move(stop)));
  return found;
}

record::StoredOutcome LostOutcome(const backend::AbandonedJob& job) {
  record::StoredOutcome stored;
  stored.outcome.state = JobState::kLost;
  stored.outcome.exit_code = record::kExitLost;
  stored.outcome.exit_source = ExitSource::kKinetic;
  stored.outcome.reason = job.evidence;
  if (job.status) {
    stored.outcome.phase = job.status->phase;
    stored.outcome.attempt = job.status->attempt;
    stored.moments = job.status->timeline;
    for (const auto& moment : job.status->timeline) {
      stored.outcome.timeline.emplace_back(moment.name, moment.time);
    }
  } else {
    stored.outcome.phase = Phase::kSubmit;
  }
  stored.evidence = job.evidence;
  return stored;
}

/// Returns the outcome that the runner could not store.
record::StoredOutcome LateOutcome(record::StoredOutcome stored, const backend::AbandonedJob& job) {
  stored.evidence = job.evidence + " before the outcome was stored";
  return stored;
}

/// Returns whether a client may still be storing the record of a job that it has started already.
bool MayBeInSubmission(const Context& context, const backend::AbandonedJob& job) {
  constexpr std::chrono::hours kLongestSubmission{1};
  return context.target->Traits().runner_awaits_record &&
         (!job.age || *job.age < kLongestSubmission);
}

/// Handles a job without a record, which was removed, or whose client was killed while it
/// submitted the job. If only this machine has its outcome, the job is kept, because another store
/// or a later run may accept it.
Status HandleMissingRecord(Context& context, const backend::AbandonedJob& job,
                           std::stop_token stop) {
  if (!job.outcome_location.empty()) {
    return Fail(ErrorCode::kFailedPrecondition,
                "it ended, but " + context.store->Location() + " has no record of it",
                "its outcome is kept in " + job.outcome_location +
                    " until the store has the record; remove that folder to discard the outcome");
  }
  if (MayBeInSubmission(context, job)) return {};
  return context.target->Remove(job.id, std::move(stop));
}

/// Returns for how long a job whose end no runner has recorded held its nodes.
Result<std::chrono::milliseconds> NodeTimeUntilLoss(Context& context, const record::Record& record,
                                                    const record::StoredOutcome& stored,
                                                    const std::stop_token& stop) {
  if (!record.price) return std::chrono::milliseconds(0);
  const auto earlier =
      record::ReadNodeTime(*context.store, KeyOf(record), stored.outcome.attempt, stop);
  // An attempt that cannot be read, such as one of a newer version, must not prevent the job's end.
  if (!earlier && (store::IsStoreUnavailable(earlier.error()) || stop.stop_requested()))
    return Failure(earlier.error());
  return record::AddNodeTimes(record::NodeTimeOf(stored.moments),
                              earlier.value_or(std::chrono::milliseconds(0)));
}

/// Writes a result for a job that has none.
Status WriteResult(Context& context, const record::Record& record, const backend::AbandonedJob& job,
                   const std::stop_token& stop) {
  backend::CollectedState state;
  if (job.is_elsewhere) {
    state.log = {.unavailable_reason = "it is on another machine", .is_final = true};
  } else {
    KINETIC_ASSIGN_OR_RETURN(state, context.target->Collect(job.id, *context.store, stop));
  }
  const bool is_array = record.spec.array && !record::ParseTaskId(job.id);
  RescuedLog log;  // an array has none: its tasks have
  if (!is_array) {
    KINETIC_ASSIGN_OR_RETURN(log, RescueLog(context, job.id, state.log, stop));
  }
  if (!state.outcome) {
    // Its result was removed: the stored end is not replaced by a guess.
    KINETIC_ASSIGN_OR_RETURN(const auto indexed, ReadEndFromIndex(context, job.id, stop));
    if (indexed) return {};
  }
  record::StoredOutcome stored;
  if (is_array) {
    KINETIC_ASSIGN_OR_RETURN(stored, EndArray(context, record, job, state.outcome, stop));
    if (stored.evidence.empty()) stored.evidence = job.evidence;
  } else {
    stored = state.outcome ? LateOutcome(*std::move(state.outcome), job) : LostOutcome(job);
    if (stored.node_time.count() == 0) {
      KINETIC_ASSIGN_OR_RETURN(stored.node_time, NodeTimeUntilLoss(context, record, stored, stop));
    }
  }
  stored.job = KeyOf(record);
  stored.written_by = "client";
  stored.log_records = log.records;
  stored.log_gap = log.gap;
  if (!log.gap.empty()) {
    stored.outcome.reason += "; the end of its log could not be read: " + log.gap;
  }
  const auto put = store::PutBytes(*context.store, record::ResultName(job.id),
                                   record::ToJson(stored), store::Precondition::Absent(), stop);
  if (!put) return Failure(put.error());
  context.Log(LogLevel::kInfo, "reconciled job " + job.id + ": " + stored.evidence);
  return {};
}

/// Returns the result. Removes a damaged one, so that another one can be written.
Result<std::optional<record::StoredOutcome>> ReadOrRemoveResult(Context& context,
                                                                const std::string& id,
                                                                const std::stop_token& stop) {
  auto result = ReadIntactResult(context, id, stop);
  if (result || result.error().code != ErrorCode::kDataLoss) return result;
  KINETIC_ASSIGN_OR_RETURN(const auto info, context.store->Stat(record::ResultName(id), stop));
  result = ReadIntactResult(context, id, stop);  // it may have been replaced before the request
  if (result || result.error().code != ErrorCode::kDataLoss) return result;
  if (info) KINETIC_RETURN_IF_ERROR(context.store->RemoveIfUnchanged(*info, stop));
  return std::optional<record::StoredOutcome>();
}

}  // namespace

Status ReconcileJob(Context& context, const backend::AbandonedJob& job, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto result, ReadOrRemoveResult(context, job.id, stop));
  if (!result) {
    KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, job.id, stop));
    if (!record) return HandleMissingRecord(context, job, stop);
    KINETIC_RETURN_IF_ERROR(WriteResult(context, *record, job, stop));
  }
  KINETIC_RETURN_IF_ERROR(RefreshIndex(context, job.id, stop));
  if (job.is_elsewhere) return {};
  return RemoveTargetState(context, job.id, result ? result->log_records : 0, std::move(stop));
}

Status RemoveTargetState(Context& context, std::string_view id, std::uint64_t log_records,
                         std::stop_token stop) {
  // A result from a collector means that the log is stored. The pod shows the same records.
  const bool is_stored = context.target->Traits().runner_stores_log;
  KINETIC_ASSIGN_OR_RETURN(const bool left, is_stored
                                                ? Result<bool>(false)
                                                : HasEndOfLog(context, id, log_records, stop));
  if (left) KINETIC_RETURN_IF_ERROR(RescueLog(context, id, {}, stop));
  return context.target->Remove(id, std::move(stop));
}

Status ReconcileJobs(Context& context, const std::vector<backend::AbandonedJob>& abandoned,
                     const std::function<void(std::string_view id)>& done, std::stop_token stop) {
  const std::size_t threads = context.target->Traits().is_remote ? kMaxConcurrentJobs : 1;
  const auto reconcile = [&](std::size_t i, const std::stop_token& part_stop) -> Status {
    const auto& job = abandoned[i];
    auto reconciled = ReconcileJob(context, job, part_stop);
    done(job.id);
    if (reconciled) return {};
    if (reconciled.error().code == ErrorCode::kCancelled) return reconciled;
    std::string warning = "cannot reconcile job " + job.id + ": " + reconciled.error().message;
    if (!reconciled.error().hint.empty()) warning += " (" + reconciled.error().hint + ")";
    context.Log(LogLevel::kWarning, warning);
    return {};
  };
  return ParallelFor(threads, abandoned.size(), std::move(stop), reconcile);
}

Status ReconcileAll(Context& context, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto abandoned, context.target->Sweep(stop));
  return ReconcileJobs(context, abandoned, [](std::string_view) {}, std::move(stop));
}

Status ReconcileOne(Context& context, std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto abandoned, context.target->Sweep(stop));
  std::erase_if(abandoned, [&](const auto& job) { return job.id != id; });
  return ReconcileJobs(context, abandoned, [](std::string_view) {}, std::move(stop));
}

}  // namespace kinetic::job
