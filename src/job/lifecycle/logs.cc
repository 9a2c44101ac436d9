#include "job/lifecycle/logs.h"

#include "kinetic/try.h"

#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/log/objects.h"
#include "record/log/stored_log.h"
#include "record/object_names.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::chrono::seconds kStartTimeout{10};
/// Poll interval for the log of a job on another machine.
constexpr std::chrono::seconds kStorePollInterval{1};

/// Keeps copies of the last records.
class Tail {
 public:
  explicit Tail(std::uint64_t size) : size_(size) {}

  void Add(const LogRecord& record) {
    if (size_ == 0) return;
    if (kept_.size() == size_) kept_.pop_front();
    kept_.emplace_back(record, std::string(record.text));
  }

  Status Emit(const LogRecordSink& reader) {
    for (auto& [record, text] : kept_) {
      record.text = text;
      KINETIC_RETURN_IF_ERROR(reader(record));
    }
    kept_.clear();
    return {};
  }

 private:
  std::uint64_t size_;
  std::deque<std::pair<LogRecord, std::string>> kept_;
};

/// One read of one job's log.
class LogSession {
 public:
  LogSession(Context& context, const record::JobKey& job, std::uint64_t from_sequence)
      : context_(context),
        id_(job.id),
        next_(from_sequence),
        delivered_(from_sequence),
        stored_(*context.store, job, from_sequence),
        marker_(*context.store, context.clock, job.id) {}

  /// Reads the log of a job that has ended. Returns false if the job has no result.
  Result<bool> ReadEnded(const LogRecordSink& reader, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const auto end, ReadEnd(stop));
    if (!end) return false;
    // The result is written after the whole log is stored.
    KINETIC_RETURN_IF_ERROR(ReadStored(reader, stop));
    KINETIC_RETURN_IF_ERROR(FinishLog(*end, reader, stop));
    return true;
  }

  /// Reads the available log, or with `follow` until the job has ended.
  Status Read(bool follow, const LogRecordSink& reader, const std::stop_token& stop) {
    bool is_local = follow && IsActiveHere(context_, id_, stop);  // starts with the local part
    for (;;) {
      const std::uint64_t before = next_;
      if (!std::exchange(is_local, false)) {
        KINETIC_RETURN_IF_ERROR(ReadStored(reader, stop));
        if (stored_.position().ended) return CheckEnd(reader, stop);
      }
      KINETIC_ASSIGN_OR_RETURN(const backend::LogRead read,
                               context_.target->Logs(id_, next_, follow, Counted(reader), stop));
      next_ = read.next_sequence;
      stored_.SkipTo(next_);
      if (follow && (read.is_whole || HasReadAll(stop))) return {};
      KINETIC_ASSIGN_OR_RETURN(const auto end, follow ? ReadEnd(stop) : Ended());
      if (end) {
        KINETIC_RETURN_IF_ERROR(ReadStored(reader, stop));
        return FinishLog(*end, reader, stop);
      }
      if (next_ != before && !is_store_only_) continue;
      KINETIC_RETURN_IF_ERROR(WarnIfUnobservable(reader, stop));
      KINETIC_ASSIGN_OR_RETURN(const bool more, ShouldReadAgain(follow, stop));
      if (!more) return ReadStored(reader, stop);
    }
  }

  /// Returns the sequence number after the last record that the reader got, also after an error.
  std::uint64_t delivered() const { return delivered_; }

 private:
  LogRecordSink Counted(const LogRecordSink& reader) {
    return [this, &reader](const LogRecord& record) -> Status {
      attempt_ = record.attempt;
      delivered_ = std::max(delivered_, record.sequence + 1);
      return reader(record);
    };
  }

  Status ReadStored(const LogRecordSink& reader, const std::stop_token& stop) {
    const auto gap = [&](std::uint64_t missing) { return ReportMissing(missing, reader); };
    KINETIC_RETURN_IF_ERROR(stored_.Read(Counted(reader), gap, stop));
    next_ = std::max(next_, stored_.position().next_sequence);
    return {};
  }

  /// Reports missing records before the next one.
  Status ReportMissing(std::uint64_t missing, const LogRecordSink& reader) {
    const std::uint64_t next = stored_.position().next_sequence;
    return ReportMessage(std::to_string(missing) + " records are missing", next, reader);
  }

  /// Reports a message between log records, before record `next`.
  Status ReportMessage(const std::string& what, std::uint64_t next, const LogRecordSink& reader) {
    const std::string text = "[" + what + "]\n";
    return reader({.sequence = next == 0 ? 0 : next - 1,
                   .attempt = std::max(attempt_, 1U),
                   .stream = Stream::kSystem,
                   .time = context_.clock.Now(),
                   .text = text});
  }

  using Ended = std::optional<record::StoredOutcome>;
  /// Returns the end of the job, with the length of its log.
  Result<Ended> ReadEnd(const std::stop_token& stop) { return ReadResult(context_, id_, stop); }

  /// Returns whether the log is complete according to a supervisor on this machine. Sends no
  /// request.
  bool HasReadAll(const std::stop_token& stop) {
    if (context_.target->Traits().is_remote) return false;
    const auto observed = context_.target->Observe(id_, stop);
    return observed && *observed && IsTerminal((*observed)->status.state) &&
           (*observed)->status.log_records <= next_;
  }

  /// Compares the log with the result, after the last record. The log has been shown, so an
  /// unavailable store or a damaged result does not fail the command.
  Status CheckEnd(const LogRecordSink& reader, const std::stop_token& stop) {
    const auto end = ReadIntactResult(context_, id_, stop);
    if (end) return *end ? FinishLog(**end, reader, stop) : Status();
    if (stop.stop_requested()) return Failure(end.error());
    return ReportMessage("cannot check that the log is complete: " + end.error().message, next_,
                         reader);
  }

  /// Reports that the rest of the log cannot be read.
  Status ReportUnreadableEnd(const record::StoredOutcome& end, const LogRecordSink& reader) {
    if (end.log_gap.empty()) return {};
    return ReportMessage("the end of the log could not be read: " + end.log_gap, next_, reader);
  }

  /// Handles records that the result counts and the store lacks. They may still be on this machine.
  Status FinishLog(const record::StoredOutcome& result, const LogRecordSink& reader,
                   const std::stop_token& stop) {
    if (result.log_records <= next_) return ReportUnreadableEnd(result, reader);
    KINETIC_ASSIGN_OR_RETURN(const backend::LogRead read,
                             context_.target->Logs(id_, next_, false, Counted(reader), stop));
    next_ = read.next_sequence;
    stored_.SkipTo(result.log_records);
    if (result.log_records > next_) {
      KINETIC_RETURN_IF_ERROR(ReportMissing(result.log_records - next_, reader));
    }
    return ReportUnreadableEnd(result, reader);
  }

  /// Warns once that more of the log may be on a target that cannot be queried.
  Status WarnIfUnobservable(const LogRecordSink& reader, const std::stop_token& stop) {
    if (!context_.cluster_error || std::exchange(warned_, true)) return {};
    KINETIC_ASSIGN_OR_RETURN(const auto elsewhere, WhyUnobservable(context_, id_, stop));
    if (!elsewhere) return {};
    return ReportMessage(
        "showing only the stored part of the log: " + elsewhere->message + "; " + elsewhere->hint,
        next_, reader);
  }

  /// Returns whether another read may find records after one that found none.
  Result<bool> ShouldReadAgain(bool follow, const std::stop_token& stop) {
    if (!follow) return false;
    if (is_store_only_) return WaitForStore(stop);
    KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(context_, id_, stop));
    if (observed && observed->alive) return true;
    if (!observed) {
      KINETIC_ASSIGN_OR_RETURN(const auto elsewhere, WhyUnobservable(context_, id_, stop));
      is_store_only_ = elsewhere.has_value();
      if (is_store_only_) return WaitForStore(stop);
    }
    // A folder without a supervisor belongs to a dead job, or to a job that is just being started.
    const auto takes = observed ? kStartTimeout : kSubmissionTimeout;
    KINETIC_ASSIGN_OR_RETURN(const bool starts, IsBeingSubmitted(takes, stop));
    if (starts) KINETIC_RETURN_IF_ERROR(context_.clock.Sleep(kSubmissionPoll, stop));
    return starts;
  }

  /// Waits and polls again, because a job on another machine is visible only through the store.
  Result<bool> WaitForStore(const std::stop_token& stop) {
    if (!stored_.position().exists) return false;
    marker_.Renew(stop);
    KINETIC_RETURN_IF_ERROR(CheckLoss(stop));
    KINETIC_RETURN_IF_ERROR(context_.clock.Sleep(kStorePollInterval, stop));
    return true;
  }

  /// Stores the result of a job that was lost, so that the log ends.
  Status CheckLoss(const std::stop_token& stop) {
    const SteadyTime now = context_.clock.Steady();
    if (now < next_check_) return {};
    next_check_ = now + kLivenessCheck;
    KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context_.store, id_, stop));
    if (!record) return {};
    KINETIC_RETURN_IF_ERROR(Refresh(context_, record::SummaryOf(*record), stop));
    return {};
  }

  /// Returns whether the job is still being submitted: it has a record and is not active yet.
  Result<bool> IsBeingSubmitted(std::chrono::seconds takes, const std::stop_token& stop) {
    if (next_ > 0) return false;
    KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context_.store, id_, stop));
    if (!record || record->target_identity != context_.target->Identity()) return false;
    KINETIC_ASSIGN_OR_RETURN(const auto result, ReadResult(context_, id_, stop));
    if (result) return false;
    KINETIC_ASSIGN_OR_RETURN(const ObjectAge age,
                             AgeOf(context_, record::RecordName(id_), stop, takes));
    return age == ObjectAge::kYoung;
  }

  Context& context_;
  const std::string id_;
  std::uint64_t next_;
  std::uint64_t delivered_;
  std::uint32_t attempt_ = 0;
  bool is_store_only_ = false;
  SteadyTime next_check_ = {};
  bool warned_ = false;  ///< that only the store can be read
  record::StoredLog stored_;
  FollowMarker marker_;
};

/// Returns the known length of the log: a lower bound while the job runs.
Result<std::uint64_t> KnownRecords(Context& context, const record::JobKey& job,
                                   const std::stop_token& stop) {
  const std::string& id = job.id;
  KINETIC_ASSIGN_OR_RETURN(const auto result, ReadResult(context, id, stop));
  if (result) return result->log_records;
  KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(context, id, stop));
  if (observed) return observed->status.log_records;
  KINETIC_ASSIGN_OR_RETURN(const auto listing, record::ListLog(*context.store, job, stop));
  return listing.objects.empty() ? 0 : listing.objects.back().next.value_or(0);
}

}  // namespace

Status ReadNewRecords(Context& context, std::string_view id, std::uint64_t& from,
                      const LogRecordSink& reader, const std::stop_token& stop, bool has_ended) {
  KINETIC_ASSIGN_OR_RETURN(const record::JobKey job, FindKey(context, id, stop));
  LogSession session(context, job, from);
  Result<bool> done = false;
  if (has_ended) done = session.ReadEnded(reader, stop);
  if (done && !*done) {
    const Status read = session.Read(false, reader, stop);
    if (!read) done = Failure(read.error());
  }
  from = session.delivered();
  return done ? Status() : Failure(done.error());
}

Status ReadLogs(Context& context, std::string_view id, const LogOptions& options,
                const LogRecordSink& reader, std::stop_token stop, bool has_ended) {
  std::uint64_t from = options.from_sequence;
  KINETIC_ASSIGN_OR_RETURN(const record::JobKey job, FindKey(context, id, stop));
  if (!options.tail) {
    LogSession session(context, job, from);
    if (has_ended) {
      const auto done = session.ReadEnded(reader, stop);
      if (done && *done) return {};
      if (!done) return Failure(done.error());
    }
    return session.Read(options.follow, reader, stop);
  }

  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t known, KnownRecords(context, job, stop));
  if (known > *options.tail) from = std::max(from, known - *options.tail);
  LogSession session(context, job, from);
  Tail tail(*options.tail);
  const auto keep = [&](const LogRecord& record) -> Status {
    tail.Add(record);
    return {};
  };
  KINETIC_RETURN_IF_ERROR(session.Read(false, keep, stop));
  KINETIC_RETURN_IF_ERROR(tail.Emit(reader));
  if (!options.follow) return {};
  return session.Read(true, reader, stop);
}

}  // namespace kinetic::job
