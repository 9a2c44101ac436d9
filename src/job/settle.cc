#include "job/settle.h"

#include "base/time.h"
#include "base/try.h"
#include "job/outcome.h"
#include "job/summary.h"
#include "record/exit_codes.h"
#include "record/layout.h"
#include "record/log_objects.h"
#include "record/log_reader.h"
#include "record/log_segment.h"

#include <utility>

namespace kinetic::job {
namespace {

/// Seals records into segments and stores them, as the runner would have done.
class SegmentWriter {
 public:
  SegmentWriter(store::Store& store, std::string_view id, std::stop_token stop)
      : store_(store), id_(id), stop_(std::move(stop)) {}

  Status Add(const LogRecord& record) {
    const bool follows = record.attempt == attempt_ && record.sequence == next_;
    if (plain_.size() >= record::kLogSegmentBytes || (!plain_.empty() && !follows)) {
      KINETIC_RETURN_IF_ERROR(Flush());
    }
    if (plain_.empty()) {
      attempt_ = record.attempt;
      first_ = record.sequence;
      plain_ = record::SegmentHeader(attempt_, first_);
    }
    record::AppendRecord(plain_, record.stream, ToMicros(record.time), record.text);
    next_ = record.sequence + 1;
    return {};
  }

  Status Flush() {
    if (plain_.empty()) return {};
    const std::string name = record::LogSegmentName(id_, attempt_, 0, first_);
    const auto put =
        store::PutBytes(store_, name, record::Seal(plain_), store::Precondition::Absent(), stop_,
                        record::LogMetadata(next_));
    if (!put) return Failure(put.error());
    plain_.clear();
    return {};
  }

 private:
  store::Store& store_;
  std::string_view id_;
  std::stop_token stop_;
  std::string plain_;
  std::uint32_t attempt_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t next_ = 0;
};

/// Stores what is in the target's hands only; returns how many records the whole log has. A spool
/// that ends in the middle, or is damaged, gives what can be read.
Result<std::uint64_t> RescueLog(Context& context, std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(std::uint64_t next, record::StoredRecords(*context.store, id, stop));
  SegmentWriter writer(*context.store, id, stop);
  const auto add = [&](const LogRecord& record) -> Status {
    KINETIC_RETURN_IF_ERROR(writer.Add(record));
    next = record.sequence + 1;
    return {};
  };
  const auto read = context.target->Logs(id, next, false, add, stop);
  if (!read && read.error().code != ErrorCode::kDataLoss) return Failure(read.error());
  KINETIC_RETURN_IF_ERROR(writer.Flush());
  return next;
}

/// Whether the target has the end of a log that has ended: the store did not take it.
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

record::StoredOutcome Lost(const Abandoned& job, std::uint64_t log_records) {
  record::StoredOutcome stored;
  stored.outcome.state = JobState::kLost;
  stored.outcome.exit_code = record::kExitLost;
  stored.outcome.exit_source = ExitSource::kKinetic;
  stored.outcome.reason = "lost: " + job.evidence;
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
  stored.written_by = "client";
  stored.evidence = job.evidence;
  stored.log_records = log_records;
  return stored;
}

/// The outcome that the runner could not store.
record::StoredOutcome Finished(record::StoredOutcome stored, const Abandoned& job,
                               std::uint64_t log_records) {
  stored.written_by = "client";
  stored.evidence = job.evidence + " before the outcome was stored";
  stored.log_records = log_records;
  return stored;
}

/// A job of which the store has no record: it was removed, or never submitted; unless its outcome
/// is still to be stored, which then wants another store, or this one on another day.
Status Forget(Context& context, const Abandoned& job, std::stop_token stop) {
  if (!job.has_outcome) return context.target->Remove(job.id, std::move(stop));
  return Fail(ErrorCode::kFailedPrecondition,
              "it has ended, and " + context.store->Location() + " has no record of it",
              "its outcome is kept in " + (context.options.state_dir / "jobs" / job.id).native() +
                  " until the store is back; remove that folder if nobody wants it");
}

/// Gives a job that has no result the one it deserves.
Status WriteResult(Context& context, const Abandoned& job, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto remains, context.target->Collect(job.id, *context.store, stop));
  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t records, RescueLog(context, job.id, stop));
  const auto stored =
      remains.outcome ? Finished(*std::move(remains.outcome), job, records) : Lost(job, records);
  const auto put = store::PutBytes(*context.store, record::ResultName(job.id),
                                   record::ToJson(stored), store::Precondition::Absent(), stop);
  if (!put) return Failure(put.error());
  context.Log(LogLevel::kInfo, "job " + job.id + " is settled: " + stored.evidence);
  return {};
}

}  // namespace

Status Settle(Context& context, const Abandoned& job, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto result, ReadResult(*context.store, job.id, stop));
  if (!result) {
    KINETIC_ASSIGN_OR_RETURN(const auto record,
                             context.store->Stat(record::RecordName(job.id), stop));
    if (!record) return Forget(context, job, stop);
    KINETIC_RETURN_IF_ERROR(WriteResult(context, job, stop));
  }
  KINETIC_RETURN_IF_ERROR(RefreshIndex(context, job.id, stop));
  return Release(context, job.id, result ? result->log_records : 0, std::move(stop));
}

Status Release(Context& context, std::string_view id, std::uint64_t log_records,
               std::stop_token stop) {
  // A collector's result says that the log is in the store; what its pod still shows is the same.
  const bool is_stored = context.target->UsesImages();
  KINETIC_ASSIGN_OR_RETURN(const bool left, is_stored
                                                ? Result<bool>(false)
                                                : HasEndOfLog(context, id, log_records, stop));
  if (left) KINETIC_RETURN_IF_ERROR(RescueLog(context, id, stop));
  return context.target->Remove(id, std::move(stop));
}

Status SettleAll(Context& context, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto abandoned, context.target->Sweep(stop));
  for (auto& job : abandoned) {
    const auto settled = Settle(
        context, {job.id, std::move(job.evidence), std::move(job.status), job.has_outcome}, stop);
    if (settled) continue;
    if (settled.error().code == ErrorCode::kCancelled) return settled;
    std::string warning = "settling job " + job.id + ": " + settled.error().message;
    if (!settled.error().hint.empty()) warning += " (" + settled.error().hint + ")";
    context.Log(LogLevel::kWarning, warning);
  }
  return {};
}

}  // namespace kinetic::job
