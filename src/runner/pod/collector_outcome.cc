#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "pod/collect_request.h"
#include "pod/container.h"
#include "pod/log_line.h"
#include "pod/node_failure.h"
#include "record/ended_task.h"
#include "record/log/stored_log.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "record/task_id.h"
#include "runner/diagnostics.h"
#include "runner/log/capture.h"
#include "runner/outcome/classify.h"
#include "runner/pod/collector.h"
#include "runner/staging/job_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

/// The end of an attempt in a pod: everything after its program.
namespace kinetic::runner {
namespace {

constexpr std::string_view kUnknownOutcome = "unknown";
constexpr std::string_view kNoResultDigest = "-";
constexpr const char* kContainerKilled =
    "all processes in the container were killed, probably because it ran out of memory";

std::string EndLine(const record::Record& record, std::string_view outcome,
                    std::string_view sha256) {
  std::string line;
  pod::AppendEndLine(line, {record.nonce, std::string(outcome), std::string(sha256)});
  return line;
}

/// Returns the exit code of the job's container: the program's own code, unless it is one of the
/// reserved codes, or one that means that the node failed.
int ContainerCode(const record::Record& record, const Outcome& outcome) {
  // Kubernetes must neither start a cancelled task again nor count it as failed.
  const bool is_task = record::ParseTaskId(record.id).has_value();
  if (is_task && outcome.state == JobState::kCancelled) return 0;
  const bool ours = outcome.exit_source == ExitSource::kKinetic;
  if (ours && outcome.exit_code == record::kExitBeforeUserCode) return pod::kFailedBeforeUserCode;
  const bool is_reserved =
      outcome.exit_code >= pod::kFirstReservedCode && outcome.exit_code <= pod::kLastReservedCode;
  if (is_reserved || pod::IsNodeFailure(outcome.exit_code)) return pod::kExitCodeInResult;
  return outcome.exit_code;
}

/// Returns the container's termination message.
std::string TerminationMessage(const record::Record& record, const Outcome& outcome) {
  return Value(Value::Map{{"job", record.id},
                          {"nonce", record.nonce},
                          {"attempt", std::int64_t{outcome.attempt}},
                          {"outcome", std::string(Name(outcome.state))},
                          {"exit_code", outcome.exit_code},
                          {"reason", outcome.reason.substr(0, 2048)}})
      .ToJson();
}

/// Returns whether no other pod of an array stores the same downloads.
bool IsFirstTask(const record::Record& record) {
  const auto task = record::ParseTaskId(record.id);
  return !task || task->task == 0;
}

LauncherExit FinalExit(const record::Record& record, const Outcome& outcome,
                       std::string_view json) {
  return {ContainerCode(record, outcome), TerminationMessage(record, outcome),
          EndLine(record, Name(outcome.state), Sha256::Of(json).Hex())};
}

}  // namespace

/// Returns the exit for a result that an earlier attempt or a client has stored, or nullopt.
Result<std::optional<LauncherExit>> PodCollector::KnownResult() {
  KINETIC_ASSIGN_OR_RETURN(const auto own,
                           ReadOwnResult(lifecycle_.store(), record_, StopBeforeProgram()));
  if (!own) return std::optional<LauncherExit>();
  // An earlier pod may have been killed before it wrote that.
  if (next_) {
    LogFailure("writing the summary of the task",
               record::WriteEndedTask(lifecycle_.store(), own->outcome, StopBeforeProgram()));
  }
  return std::optional(FinalExit(record_, own->outcome.outcome, own->json));
}

/// Returns the stop that a client has requested. Clients write it to the store before they delete a
/// Job.
std::optional<pod::StopCause> PodCollector::RequestedStop() {
  auto requested = pod::ReadStopCause(lifecycle_.store(), record_.id, {});
  if (requested) return *std::move(requested);
  LogFailure("reading the cancellation", Failure(requested.error()));
  return std::nullopt;
}

/// Returns the outcome of a task that was cancelled before this pod took it. A client that cancels
/// a task writes that to the store before it looks for pods.
std::optional<Outcome> PodCollector::ClassifyCancelledTask() {
  if (resumes_ || !record::ParseTaskId(record_.id)) return std::nullopt;
  const auto requested = RequestedStop();
  if (!requested) return std::nullopt;
  return ClassifyInterruption(record_.spec, StopReasonOf(requested), Phase::kQueue);
}

/// Ends the program of a cancelled task. The pod continues with other tasks.
Status PodCollector::CheckCancellation() {
  if (has_cancelled_task_) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto requested,
                           lifecycle_.store().Stat(pod::CancelName(record_.id), {}));
  if (!requested) return {};
  has_cancelled_task_ = true;
  return Touch(deps_.fs, folder_.runtime.CancelRequest());
}

/// A task that was not claimed has not used an attempt: the next pod may run it.
LauncherExit PodCollector::EndUnclaimed(const Error& error) {
  if (!next_ || error.code != ErrorCode::kCancelled) {
    return Finish(ClassifyErrorOrStop(error, Phase::kPull));
  }
  return {pod::kRetryRequested, "stopped before the task started", {}};
}

/// When more tasks have failed, Kubernetes deletes the pods of the others.
bool PodCollector::HaveTooManyTasksFailed() {
  const auto& array = record_.spec.array;
  if (!array || !array->max_failed) return false;
  std::uint32_t failed = 0;
  const record::JobKey job(std::string(record::JobPart(record_.id)),
                           std::string(record::JobNonce(record_.nonce)));
  const auto count = [&](const TaskSummary& ended) -> Result<bool> {
    failed += ended.state != JobState::kSucceeded && ended.state != JobState::kCancelled;
    return failed <= *array->max_failed;
  };
  LogFailure("counting failed tasks",
             record::ListEndedTasks(lifecycle_.store(), job, 0, count, {}));
  return failed > *array->max_failed;
}

/// A client that stops a job for another reason than a cancellation gave up waiting for its start,
/// as in backend::RemainsOf.
StopReason PodCollector::StopReasonOf(const std::optional<pod::StopCause>& requested) {
  if (interruption_->reason() == StopReason::kPendingTimeout) return StopReason::kPendingTimeout;
  if (!requested) {
    return HaveTooManyTasksFailed() ? StopReason::kCancelled : StopReason::kPreempted;
  }
  return requested->cause == kinetic::Cause::kCancelled ? StopReason::kCancelled
                                                        : StopReason::kPendingTimeout;
}

Outcome PodCollector::ClassifyErrorOrStop(const Error& error, Phase phase) {
  if (error.code != ErrorCode::kCancelled) return ClassifyError(error, phase);
  const auto requested = RequestedStop();
  Outcome outcome = ClassifyInterruption(record_.spec, StopReasonOf(requested), phase);
  if (requested && !requested->reason.empty()) outcome.reason = requested->reason;
  return outcome;
}

Outcome PodCollector::ClassifyReport(const ExitReport& report) {
  LogFailure("reading the spool", BeginNotes(report.next_record));
  if (report.fault) {
    return report.began ? ClassifyError(*report.fault, Phase::kRun)
                        : ClassifyErrorOrStop(*report.fault, Phase::kStart);
  }
  const ProgramExit& exit = *report.exit;
  ended_by_itself_ = !exit.stopped && !WasKilled(exit);
  for (const auto& note : lifecycle_.OutputNotes()) Note(note);
  lifecycle_.status_file().AddEvent("ended", "peak memory " + FormatBytes(exit.peak_memory_bytes));
  lifecycle_.SetStatus(JobState::kRunning, Phase::kCollect, "collecting");
  Outcome outcome = ClassifyProgram(
      record_.spec, exit, exit.stopped ? StopReasonOf(RequestedStop()) : StopReason::kNone);
  // A succeeded job has no next attempt that could restore a checkpoint.
  if (outcome.state != JobState::kSucceeded) FinishCheckpoints(WasKilled(exit));
  return outcome;
}

void PodCollector::FinishCheckpoints(bool killed) {
  const Status saved = lifecycle_.FinishCheckpoints(killed);
  if (saved) return;
  LogFailure("saving a checkpoint", saved);
  Note("the checkpoint was not saved: " + saved.error().message);
}

/// Continues the log after the launcher's last record.
Status PodCollector::BeginNotes(std::uint64_t next_record) {
  KINETIC_RETURN_IF_ERROR(follower_.Finish());
  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t stored,
                           record::CountLogRecords(lifecycle_.store(), KeyOf(record_), {}));
  const std::uint64_t next = std::max({next_record, follower_.next_sequence().value_or(0), stored});
  lifecycle_.SetLogRecords(next);
  KINETIC_RETURN_IF_ERROR(notes_.BeginAttempt(attempt_, next));
  can_note_ = true;
  return {};
}

void PodCollector::Note(std::string_view text) {
  if (!can_note_) return LogDiagnostic(text);
  const std::vector<std::string> no_secrets;
  LogCapture capture(notes_, deps_.clock, no_secrets);
  LogFailure("noting", capture.Note(text));
  capture.Seal();
}

LauncherExit PodCollector::Finish(Outcome outcome) {
  const std::uint32_t attempts = std::max(record_.spec.retry.attempts, 1U);
  outcome.attempt = std::clamp(attempt_, 1U, attempts);
  if (attempt_ <= attempts && record::ShouldRetry(record_.spec.retry, outcome, outcome.attempt)) {
    return FinishForRetry(outcome);
  }
  return FinishJob(std::move(outcome));
}

LauncherExit PodCollector::NotStored(const Error& error) const {
  const std::string message = "cannot store the outcome: " + error.message;
  LogDiagnostic(message);
  return {pod::kCollectorLost, message, EndLine(record_, kUnknownOutcome, kNoResultDigest)};
}

LauncherExit PodCollector::FinishForRetry(const Outcome& outcome) {
  lifecycle_.status_file().AddEvent("retried", outcome.reason);
  Note(RetryNote(record_.spec.retry, outcome));
  Status stored = lifecycle_.StoreLog();
  if (stored) stored = lifecycle_.StoreAttempt(outcome);
  // The next attempt starts anyway, with what is stored.
  LogFailure("storing an attempt", stored);
  lifecycle_.FinishCompileCache(true);
  return {pod::kRetryRequested, TerminationMessage(record_, outcome), {}};
}

LauncherExit PodCollector::FinishJob(Outcome outcome) {
  lifecycle_.SaveOutcome(outcome);
  const auto written = lifecycle_.StoreResult(outcome);
  if (!written) return NotStored(written.error());
  if (!*written) {
    auto known = KnownResult();
    if (known && *known) return **std::move(known);
  }
  if (*written) lifecycle_.IndexResult(outcome);
  lifecycle_.SetStatus(outcome.state, outcome.phase, outcome.reason);
  LauncherExit exit = FinalExit(record_, outcome, lifecycle_.result_json());
  // After the last line, so that clients do not wait for it.
  if (echo_ != nullptr) echo_->WriteLast(exit.end_line);
  lifecycle_.FinishCompileCache(outcome.state != JobState::kSucceeded);
  const bool has_own_pod = !next_;  // other tasks would wait
  if (ended_by_itself_ && has_own_pod && IsFirstTask(record_)) lifecycle_.FinishDownloads();
  return exit;
}

/// Returns success if the function had returned before the container was killed, else nullopt.
std::optional<Outcome> PodCollector::ClassifyKilled() {
  const bool returned =
      Exists(deps_.fs, folder_.Returned()) && !Exists(deps_.fs, folder_.runtime.CancelRequest());
  if (!returned) return std::nullopt;
  ExitReport report;
  report.exit.emplace().messages.push_back({.kind = ShimMessage::Kind::kReturned});
  return ClassifyReport(report);
}

/// Stores the end of one of several tasks, because a client cannot derive it from the status of the
/// pod.
LauncherExit PodCollector::EndKilled() {
  Outcome outcome;
  outcome.state = JobState::kFailed;
  outcome.exit_code = record::kExitKilled;
  outcome.exit_source = ExitSource::kProgram;
  outcome.phase = running_ ? Phase::kRun : Phase::kStart;
  outcome.reason = kContainerKilled;
  Note(outcome.reason);
  FinishCheckpoints(true);
  return Finish(std::move(outcome));
}

/// Stores everything except the result: a client that sees the pod's status writes that.
LauncherExit PodCollector::Abandon() {
  LogFailure("reading the spool", BeginNotes(0));
  if (next_) return EndKilled();
  Outcome outcome;
  outcome.state = JobState::kLost;
  outcome.exit_code = record::kExitLost;
  outcome.exit_source = ExitSource::kKinetic;
  outcome.phase = running_ ? Phase::kRun : Phase::kStart;
  outcome.reason = kContainerKilled;
  outcome.attempt = attempt_;
  Note(outcome.reason);
  FinishCheckpoints(true);
  const Status stored = lifecycle_.StoreUnclassified(outcome);
  if (!stored) return NotStored(stored.error());
  return {pod::kCollectorLost, TerminationMessage(record_, outcome),
          EndLine(record_, kUnknownOutcome, kNoResultDigest)};
}

}  // namespace kinetic::runner
