#include "kinetic/try.h"

#include "base/time/clock.h"
#include "job/lifecycle/outcome.h"
#include "job/lifecycle/reconcile.h"
#include "job/lifecycle/task_end.h"
#include "job/phase_log.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/object_names.h"
#include "record/task_id.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace kinetic::job {
namespace {

/// Reports each phase of a job to an observer once.
class PhaseReporter {
 public:
  explicit PhaseReporter(Observer* observer) : observer_(observer) {}

  void Report(const backend::Observation& observation) {
    const record::AttemptStatus& status = observation.status;
    if (observer_ == nullptr || IsTerminal(status.state)) return;
    if (observation.unresponsive && !std::exchange(is_unresponsive_, true))
      observer_->OnWarning(observation.unresponsive->message);
    if (phase_ == status.phase && reason_ == status.reason) return ReportBytes(status);
    if (phase_ != status.phase) End({});
    phase_ = status.phase;
    reason_ = status.reason;
    observer_->OnPhaseBegin(status.phase, status.reason);
    ReportBytes(status);
  }

  /// Warns that only the end of the job will be visible.
  void Warn(const Error& elsewhere) {
    if (observer_ == nullptr) return;
    observer_->OnWarning(elsewhere.message + ": waiting for its result in the store (" +
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
  bool is_unresponsive_ = false;
};

using Ended = std::optional<record::StoredOutcome>;

/// Returns the result, which may have been stored meanwhile, or `indexed`.
Result<Ended> ReadAgain(Context& context, std::string_view id, Ended indexed,
                        const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto result, ReadResult(context, id, stop));
  return result ? std::move(result) : std::move(indexed);
}

/// Returns the outcome with the content that the caller needs.
Result<Outcome> Complete(Context& context, std::string_view id, record::StoredOutcome stored,
                         OutcomeContent content, const std::stop_token& stop) {
  if (content == OutcomeContent::kAll)
    return WithValue(*context.store, id, std::move(stored), stop);
  KINETIC_RETURN_IF_ERROR(CheckKnown(id, stored, content));
  return std::move(stored.outcome);
}

/// Returns the result of a job that has ended or was lost. Fails if the store did not accept it,
/// because waiting may not help; an unavailable store may be available again soon.
Result<Ended> RefreshEnd(Context& context, const record::Record& record,
                         const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto current, RefreshState(context, record::SummaryOf(record), stop));
  if (current.not_stored && current.not_stored->code != ErrorCode::kUnavailable) {
    return Failure(*std::move(current.not_stored));
  }
  return IsTerminal(current.summary.state) ? ReadResult(context, record.id, stop) : Ended();
}

/// Returns the result of an ended job once the target reports it inactive.
Result<Ended> FindEnd(Context& context, std::string_view id, const std::stop_token& stop) {
  if (record::ParseTaskId(id)) return FindTaskEnd(context, id, stop);
  KINETIC_ASSIGN_OR_RETURN(auto result, ReadResult(context, id, stop));
  if (result) return result;
  KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, id, stop));
  if (!record) return NoRecord(id);
  KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(context, id, stop));
  if (observed && observed->is_hung) return Failure(*observed->unresponsive);
  // This target has no information about a job on another cluster.
  if (!observed && record->target_identity != context.target->Identity()) return Ended();
  KINETIC_RETURN_IF_ERROR(ReconcileOne(context, id, stop));
  // A removed result is not replaced by a different one.
  KINETIC_ASSIGN_OR_RETURN(auto indexed, ReadEndFromIndex(context, id, stop));
  if (indexed) return ReadAgain(context, id, std::move(indexed), stop);
  return RefreshEnd(context, *record, stop);
}

/// Checks whether a job that is visible only through the store was lost. Returns its result then.
Result<Ended> FindLoss(Context& context, std::string_view id, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, id, stop));
  return record ? RefreshEnd(context, *record, stop) : Ended();
}

/// Waits for the result of a job that is visible only through the store.
Result<record::StoredOutcome> AwaitStoredEnd(Context& context, std::string_view id,
                                             const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kFirstPoll{250};
  constexpr std::chrono::milliseconds kMaxPoll{2000};
  SteadyTime check = context.clock.Steady();
  for (auto pause = kFirstPoll;; pause = std::min(2 * pause, kMaxPoll)) {
    KINETIC_ASSIGN_OR_RETURN(auto ended, FindEnd(context, id, stop));
    if (!ended && context.clock.Steady() >= check) {
      check = context.clock.Steady() + kLivenessCheck;
      KINETIC_ASSIGN_OR_RETURN(ended, FindLoss(context, id, stop));
    }
    if (ended) return *std::move(ended);
    KINETIC_RETURN_IF_ERROR(context.clock.Sleep(pause, stop));
  }
}

/// Waits while the job is active. An inactive job without a result is lost, or its submission is
/// not complete.
Result<record::StoredOutcome> AwaitEnd(Context& context, std::string_view id, PhaseReporter& phases,
                                       const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kMaxPause{1000};
  KINETIC_ASSIGN_OR_RETURN(const auto elsewhere, WhyUnobservable(context, id, stop));
  if (elsewhere && context.cluster_error) phases.Warn(*elsewhere);
  if (elsewhere) return AwaitStoredEnd(context, id, stop);
  for (auto pause = kSubmissionPoll;; pause = std::min(2 * pause, kMaxPause)) {
    bool has_ended = false;  // reported as ended; the remaining cleanup is not awaited
    const auto report = [&](const backend::Observation& observation) -> Status {
      phases.Report(observation);
      has_ended = IsTerminal(observation.status.state);
      if (has_ended) return Fail(ErrorCode::kAborted, "the job has ended");
      return {};
    };
    Status watched = context.target->Watch(id, report, stop);
    if (!watched && !has_ended) return Failure(std::move(watched).error());
    KINETIC_ASSIGN_OR_RETURN(auto ended, FindEnd(context, id, stop));
    if (ended) return *std::move(ended);
    KINETIC_RETURN_IF_ERROR(context.clock.Sleep(pause, stop));
  }
}

/// Waits briefly until the job's processes have exited. Polls, because closing what Watch opens can
/// take longer than the exit.
void WaitForExit(Context& context, std::string_view id) {
  constexpr std::chrono::milliseconds kLimit{100};
  constexpr std::chrono::milliseconds kPoll{1};
  const SteadyTime until = context.clock.Steady() + kLimit;
  while (context.clock.Steady() < until && context.clock.Sleep(kPoll, {})) {
    const auto observed = context.target->Observe(id, {});
    if (!observed || !*observed || !(*observed)->alive) return;
  }
}

void Reindex(Context& context, std::string_view id, const OutcomeRequest& request,
             const record::StoredOutcome& stored, const std::stop_token& stop) {
  if (request.known && IsTerminal(request.known->state)) return;
  const auto indexed = IndexResult(context, id, request.known, stored, stop);
  if (!indexed) context.Log(LogLevel::kWarning, indexed.error().message);
}

/// Used for a remote target, where this takes many requests.
void CleanUpInBackground(Context& context, std::string_view id, const OutcomeRequest& request,
                         const record::StoredOutcome& stored) {
  context.background.Run([&context, id = std::string(id), request, stored] {
    Reindex(context, id, request, stored, {});
  });
  context.background.Run([&context, id = std::string(id)] {
    const auto removed = context.target->Remove(id, {});
    if (!removed) context.Log(LogLevel::kDebug, removed.error().message);
  });
}

/// Removes the state that this machine has of a job whose result is stored. A later client removes
/// what cannot be removed now.
void CleanUp(Context& context, std::string_view id, const OutcomeRequest& request,
             const record::StoredOutcome& stored, const std::stop_token& stop) {
  const auto observed = context.target->Observe(id, stop);
  // The supervisor writes the index after this status. If it is killed, the next client does.
  const bool is_stored = observed && *observed && IsTerminal((*observed)->status.state);
  if (!is_stored) Reindex(context, id, request, stored, stop);
  if (!observed || !*observed) return;
  if ((*observed)->alive) WaitForExit(context, id);
  const auto removed = RemoveTargetState(context, id, stored.log_records, stop);
  if (!removed) context.Log(LogLevel::kDebug, removed.error().message);
}

Result<Outcome> Finish(Context& context, std::string_view id, const OutcomeRequest& request,
                       record::StoredOutcome stored, const std::stop_token& stop) {
  const record::StoredOutcome end = stored;
  // Requests to a cluster overlap with reading the value.
  const bool is_remote = context.target->Traits().is_remote;
  KINETIC_RETURN_IF_ERROR(CheckKnown(id, stored, request.content));
  if (is_remote) CleanUpInBackground(context, id, request, end);
  KINETIC_ASSIGN_OR_RETURN(Outcome outcome,
                           Complete(context, id, std::move(stored), request.content, stop));
  if (!is_remote) CleanUp(context, id, request, end, stop);
  return outcome;
}

Result<std::optional<Outcome>> FinishIfEnded(Context& context, std::string_view id,
                                             const OutcomeRequest& request, Ended ended,
                                             const std::stop_token& stop) {
  if (!ended) return std::optional<Outcome>();
  return Finish(context, id, request, *std::move(ended), stop);
}

}  // namespace

Result<Outcome> AwaitOutcome(Context& context, std::string_view id, Observer* caller,
                             const OutcomeRequest& request, std::stop_token stop) {
  PhaseLog log(context, caller);
  Observer* const observer = &log;
  PhaseReporter phases(observer);
  Ended stored;
  if (!IsActiveHere(context, id, stop)) {
    KINETIC_ASSIGN_OR_RETURN(stored, ReadResult(context, id, stop));
  }
  if (!stored) {
    KINETIC_ASSIGN_OR_RETURN(stored, AwaitEnd(context, id, phases, stop));
    phases.End({});
  }
  observer->OnPhaseBegin(Phase::kCollect, {});
  KINETIC_ASSIGN_OR_RETURN(Outcome outcome, Finish(context, id, request, *std::move(stored), stop));
  observer->OnPhaseEnd(Phase::kCollect, {});
  return outcome;
}

Result<std::optional<Outcome>> CollectOutcome(Context& context, std::string_view id,
                                              const OutcomeRequest& request, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto stored, ReadResult(context, id, stop));
  if (!stored) {
    KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, id, stop));
    if (!record) return NoRecord(id);
    KINETIC_ASSIGN_OR_RETURN(stored, EndInIndex(context, *record, stop));
    // Both may have been stored between the two reads.
    if (stored) {
      KINETIC_ASSIGN_OR_RETURN(stored, ReadAgain(context, id, std::move(stored), stop));
    }
  }
  return FinishIfEnded(context, id, request, std::move(stored), stop);
}

Result<std::optional<Outcome>> PollOutcome(Context& context, std::string_view id,
                                           const OutcomeRequest& request, bool checks_loss,
                                           const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto ended, FindEnd(context, id, stop));
  if (!ended && checks_loss) {
    KINETIC_ASSIGN_OR_RETURN(const auto elsewhere, WhyUnobservable(context, id, stop));
    if (elsewhere) {
      KINETIC_ASSIGN_OR_RETURN(ended, FindLoss(context, id, stop));
    }
  }
  return FinishIfEnded(context, id, request, std::move(ended), stop);
}

Result<bool> EndOrphanedProcesses(Context& context, std::string_view id, std::stop_token stop) {
  if (context.target->Traits().is_remote) return false;
  KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(context, id, stop));
  if (observed) return false;
  KINETIC_ASSIGN_OR_RETURN(const record::JobKey key, FindKey(context, id, stop));
  return context.target->EndOrphanedProcesses(key.nonce, std::move(stop));
}

Status CancelJob(Context& context, std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto ended, ReadResult(context, id, stop));
  if (ended) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto elsewhere, WhyUnobservable(context, id, stop));
  if (elsewhere) {
    KINETIC_ASSIGN_OR_RETURN(const auto lost, FindLoss(context, id, stop));
    if (lost) return {};
    Error why = *elsewhere;
    return Failure(std::move(why).Context("cannot cancel job " + std::string(id)));
  }
  if (record::ParseTaskId(id)) {
    KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(context, id, stop));
    const bool is_gone = !observed || !observed->alive;
    if (is_gone && !context.target->Traits().is_remote) return CancelWaitingTask(context, id, stop);
  }
  KINETIC_RETURN_IF_ERROR(context.target->Cancel(id, stop));
  // On a cluster, a task may have been killed before it could store its result, or waits.
  if (record::ParseTaskId(id) && context.target->Traits().is_remote)
    return CancelWaitingTask(context, id, stop);
  KINETIC_RETURN_IF_ERROR(EndOrphanedProcesses(context, id, stop));
  const auto outcome =
      AwaitOutcome(context, id, nullptr, {OutcomeContent::kState}, std::move(stop));
  if (!outcome) return Failure(outcome.error());
  return {};
}

}  // namespace kinetic::job
