#include "job/wait.h"

#include "base/try.h"
#include "job/outcome.h"
#include "job/patience.h"
#include "job/phase_log.h"
#include "job/settle.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/layout.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace kinetic::job {
namespace {

/// Tells an observer of the phases that a job goes through, once each.
class PhaseReporter {
 public:
  explicit PhaseReporter(Observer* observer) : observer_(observer) {}

  void Report(const record::AttemptStatus& status) {
    if (observer_ == nullptr || IsTerminal(status.state)) return;
    if (phase_ == status.phase && reason_ == status.reason) return ReportBytes(status);
    if (phase_ != status.phase) End({});
    phase_ = status.phase;
    reason_ = status.reason;
    observer_->OnPhaseBegin(status.phase, status.reason);
    ReportBytes(status);
  }

  /// That of the job only its end will be seen.
  void Warn(const Error& elsewhere) {
    if (observer_ == nullptr) return;
    observer_->OnWarning(elsewhere.message + ": its end is waited for in the store (" +
                         elsewhere.hint + ")");
  }

  void End(std::string_view detail) {
    if (observer_ != nullptr && phase_) observer_->OnPhaseEnd(*phase_, detail);
    phase_.reset();
  }

 private:
  void ReportBytes(const record::AttemptStatus& status) {
    const record::Progress& fetched = status.fetched;
    if (fetched.done_bytes == 0) return;
    observer_->OnBytes(status.phase, fetched.done_bytes, fetched.total_bytes);
  }

  Observer* observer_;
  std::optional<Phase> phase_;
  std::string reason_;
};

using Ended = std::optional<record::StoredOutcome>;

/// The result, if the job has ended, once the target says that nobody works on it.
Result<Ended> FindEnd(Context& context, std::string_view id, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto result, ReadResult(*context.store, id, stop));
  if (result) return result;
  KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, id, stop));
  if (!record) return Fail(ErrorCode::kNotFound, "job " + std::string(id) + " has been removed");
  KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(context, id, stop));
  // What goes on elsewhere is no business of this target's.
  if (!observed && record->target_identity != context.target->Identity()) return Ended();
  KINETIC_RETURN_IF_ERROR(SettleOne(context, id, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto summary, Refresh(context, record::SummaryOf(*record), stop));
  return IsTerminal(summary.state) ? ReadResult(*context.store, id, stop) : Ended();
}

/// Waits for the result of a job that only the store tells about.
Result<record::StoredOutcome> AwaitStoredEnd(Context& context, std::string_view id,
                                             const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kFirstLook{250};
  constexpr std::chrono::milliseconds kLaterLooks{2000};
  for (auto pause = kFirstLook;; pause = std::min(2 * pause, kLaterLooks)) {
    KINETIC_ASSIGN_OR_RETURN(auto ended, FindEnd(context, id, stop));
    if (ended) return *std::move(ended);
    KINETIC_RETURN_IF_ERROR(context.clock.Sleep(pause, stop));
  }
}

/// Waits while the target works on the job. Nobody working on it although there is no result means
/// that it is lost, or that its submission is not over yet.
Result<record::StoredOutcome> AwaitEnd(Context& context, std::string_view id, PhaseReporter& phases,
                                       const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kSubmissionLook{50};
  KINETIC_ASSIGN_OR_RETURN(const auto elsewhere, RunsElsewhere(context, id, stop));
  if (elsewhere && context.elsewhere) phases.Warn(*elsewhere);
  if (elsewhere) return AwaitStoredEnd(context, id, stop);
  for (;;) {
    bool shown = false;  // to have ended: what is left to do is not waited for
    const auto report = [&](const target::Observation& observation) -> Status {
      phases.Report(observation.status);
      shown = IsTerminal(observation.status.state);
      if (shown) return Fail(ErrorCode::kAborted, "the job has ended");
      return {};
    };
    Status watched = context.target->Watch(id, report, stop);
    if (!watched && !shown) return Failure(std::move(watched).error());
    KINETIC_ASSIGN_OR_RETURN(auto ended, FindEnd(context, id, stop));
    if (ended) return *std::move(ended);
    KINETIC_RETURN_IF_ERROR(context.clock.Sleep(kSubmissionLook, stop));
  }
}

/// Lets whoever worked on the job go in peace, for a moment.
void AwaitQuiet(Context& context, std::string_view id) {
  const Patience moment(context.clock, std::chrono::milliseconds(100), {});
  (void)context.target->Watch(
      id, [](const target::Observation&) { return Status(); }, moment.token());
}

/// On a cluster all of this takes many requests, which nobody who has the outcome waits for.
void TidyUpCluster(Context& context, std::string_view id) {
  context.background.Do([&context, id = std::string(id)] {
    const auto indexed = RefreshIndex(context, id, {});
    if (!indexed) context.Log(LogLevel::kWarning, indexed.error().message);
    const auto removed = context.target->Remove(id, {});
    if (!removed) context.Log(LogLevel::kDebug, removed.error().message);
  });
}

/// The job is over and its result in the store: nothing of it is needed here any more. What cannot
/// be removed now is removed by the next client.
void TidyUp(Context& context, std::string_view id, std::uint64_t log_records,
            const std::stop_token& stop) {
  if (context.target->UsesImages()) return TidyUpCluster(context, id);
  const auto indexed = RefreshIndex(context, id, stop);
  if (!indexed) context.Log(LogLevel::kWarning, indexed.error().message);
  const auto observed = context.target->Observe(id, stop);
  if (!observed || !*observed) return;
  if ((*observed)->alive) AwaitQuiet(context, id);
  const auto removed = Release(context, id, log_records, stop);
  if (!removed) context.Log(LogLevel::kDebug, removed.error().message);
}

}  // namespace

Result<Outcome> AwaitOutcome(Context& context, std::string_view id, Observer* caller,
                             std::stop_token stop) {
  PhaseLog log(context, caller);
  Observer* const observer = &log;
  PhaseReporter phases(observer);
  KINETIC_ASSIGN_OR_RETURN(auto stored, ReadResult(*context.store, id, stop));
  if (!stored) {
    KINETIC_ASSIGN_OR_RETURN(stored, AwaitEnd(context, id, phases, stop));
    phases.End({});
  }
  observer->OnPhaseBegin(Phase::kCollect, {});
  const std::uint64_t log_records = stored->log_records;
  KINETIC_ASSIGN_OR_RETURN(Outcome outcome,
                           WithValue(*context.store, id, *std::move(stored), stop));
  TidyUp(context, id, log_records, stop);
  observer->OnPhaseEnd(Phase::kCollect, {});
  return outcome;
}

Result<std::optional<Outcome>> CollectOutcome(Context& context, std::string_view id,
                                              std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto stored, ReadResult(*context.store, id, stop));
  if (!stored) return std::optional<Outcome>();
  const std::uint64_t log_records = stored->log_records;
  KINETIC_ASSIGN_OR_RETURN(Outcome outcome,
                           WithValue(*context.store, id, *std::move(stored), stop));
  TidyUp(context, id, log_records, stop);
  return std::optional(std::move(outcome));
}

Status CancelJob(Context& context, std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto ended, context.store->Stat(record::ResultName(id), stop));
  if (ended) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto elsewhere, RunsElsewhere(context, id, stop));
  if (elsewhere) {
    Error why = *elsewhere;
    return Failure(std::move(why).Context("job " + std::string(id) + " cannot be cancelled"));
  }
  KINETIC_RETURN_IF_ERROR(context.target->Cancel(id, stop));
  const auto outcome = AwaitOutcome(context, id, nullptr, std::move(stop));
  if (!outcome) return Failure(outcome.error());
  return {};
}

}  // namespace kinetic::job
