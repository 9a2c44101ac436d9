#include "kinetic/value.h"

#include "base/try.h"
#include "base/units.h"
#include "pod/container.h"
#include "pod/log_line.h"
#include "pod/stop_cause.h"
#include "record/exit_codes.h"
#include "record/layout.h"
#include "record/log_reader.h"
#include "runner/diagnostics.h"
#include "runner/log_capture.h"
#include "runner/pod_collector.h"
#include "runner/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

/// The end of an attempt in a pod: everything after its program.
namespace kinetic::runner {
namespace {

constexpr std::uint64_t kMaxResultBytes = 64U << 20;
constexpr std::string_view kUnknown = "unknown";
constexpr std::string_view kNoResult = "-";

std::string EndLine(const record::Record& record, std::string_view outcome,
                    std::string_view sha256) {
  std::string line;
  pod::AppendEndLine(line, {record.nonce, std::string(outcome), std::string(sha256)});
  return line;
}

/// What the job's container exits with. A program's own code is reported as it is, unless it looks
/// like one of ours.
int ContainerCode(const Outcome& outcome) {
  const bool ours = outcome.exit_source == ExitSource::kKinetic;
  if (ours && outcome.exit_code == record::kExitBeforeUserCode) return pod::kFailedBeforeUserCode;
  if (outcome.exit_code >= pod::kFirstReservedCode && outcome.exit_code <= pod::kLastReservedCode) {
    return pod::kNotRepresentable;
  }
  return outcome.exit_code;
}

/// For people and programs that see nothing but the pod.
std::string Message(const record::Record& record, const Outcome& outcome) {
  return Value(Value::Map{{"job", record.id},
                          {"nonce", record.nonce},
                          {"attempt", std::int64_t{outcome.attempt}},
                          {"outcome", std::string(Name(outcome.state))},
                          {"exit_code", outcome.exit_code},
                          {"reason", outcome.reason.substr(0, 2048)}})
      .ToJson();
}

Settlement Final(const record::Record& record, const Outcome& outcome, std::string_view json) {
  return {ContainerCode(outcome), Message(record, outcome),
          EndLine(record, Name(outcome.state), Sha256::Of(json).Hex())};
}

}  // namespace

/// A result that is there already: of an earlier attempt, or of a client that has settled the job.
Result<std::optional<Settlement>> PodCollector::KnownResult() {
  KINETIC_ASSIGN_OR_RETURN(const auto json,
                           store::GetBytes(keeper_.store(), record::ResultName(record_.id),
                                           StopBeforeProgram(), kMaxResultBytes));
  if (!json) return std::optional<Settlement>();
  KINETIC_ASSIGN_OR_RETURN(const auto stored, record::OutcomeFromJson(*json));
  return std::optional(Final(record_, stored.outcome, *json));
}

/// Whoever ends a job says so in the store first.
std::optional<pod::StopCause> PodCollector::WantedStop() {
  auto wanted = pod::ReadStopCause(keeper_.store(), record_.id, {});
  if (wanted) return *std::move(wanted);
  DiagnoseError("looking for a cancellation", Failure(wanted.error()));
  return std::nullopt;
}

/// A client that ends a job for anything but that it was told to has waited for nothing: it is too
/// late, as target::RemainsOf has it.
Cause PodCollector::CauseOfStop(const std::optional<pod::StopCause>& wanted) const {
  if (interruption_->cause() == Cause::kTooLate) return Cause::kTooLate;
  if (!wanted) return Cause::kPreempted;
  return wanted->cause == kinetic::Cause::kCancelled ? Cause::kCancelled : Cause::kTooLate;
}

Outcome PodCollector::JudgeFaultOrStop(const Error& error, Phase phase) {
  if (error.code != ErrorCode::kCancelled) return JudgeFault(error, phase);
  const auto wanted = WantedStop();
  Outcome outcome = JudgeInterruption(record_.spec, CauseOfStop(wanted), phase);
  if (wanted && !wanted->reason.empty()) outcome.reason = wanted->reason;
  return outcome;
}

Outcome PodCollector::Judge(const EndReport& report) {
  DiagnoseError("reading the log", BeginNotes(report.next_record));
  if (report.fault) {
    return report.began ? JudgeFault(*report.fault, Phase::kRun)
                        : JudgeFaultOrStop(*report.fault, Phase::kStart);
  }
  const ProgramEnd& end = *report.end;
  keeper_.board().Note("ended", "peak memory " + FormatBytes(end.peak_memory_bytes));
  keeper_.Show(JobState::kRunning, Phase::kCollect, "collecting");
  Outcome outcome =
      JudgeProgram(record_.spec, end, end.stopped ? CauseOfStop(WantedStop()) : Cause::kNone);
  // Nobody goes on from where a job was that has succeeded.
  if (outcome.state != JobState::kSucceeded) FinishCheckpoints(WasKilled(end));
  return outcome;
}

void PodCollector::FinishCheckpoints(bool killed) {
  const Status saved = keeper_.FinishCheckpoints(killed);
  if (saved) return;
  DiagnoseError("saving a checkpoint", saved);
  Note("the checkpoint was not saved: " + saved.error().message);
}

/// The launcher writes no more: what follows in the log is the collector's.
Status PodCollector::BeginNotes(std::uint64_t next_record) {
  KINETIC_RETURN_IF_ERROR(follower_.Finish());
  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t stored,
                           record::StoredRecords(keeper_.store(), record_.id, {}));
  const std::uint64_t next = std::max({next_record, follower_.next_sequence().value_or(0), stored});
  keeper_.CountRecords(next);
  KINETIC_RETURN_IF_ERROR(notes_.BeginAttempt(attempt_, next));
  can_note_ = true;
  return {};
}

void PodCollector::Note(std::string_view text) {
  if (!can_note_) return Diagnose(text);
  const std::vector<std::string> no_secrets;
  LogCapture capture(notes_, seams_.clock, no_secrets);
  DiagnoseError("noting", capture.Note(text));
  capture.Seal();
}

Settlement PodCollector::Settle(Outcome outcome) {
  const std::uint32_t attempts = std::max(record_.spec.retry.attempts, 1U);
  outcome.attempt = std::clamp(attempt_, 1U, attempts);
  if (attempt_ <= attempts && WantsRetry(record_.spec.retry, outcome, outcome.attempt)) {
    return SettleAgain(outcome);
  }
  return SettleFinally(std::move(outcome));
}

Settlement PodCollector::NotStored(const Error& error) const {
  const std::string message = "storing the outcome: " + error.message;
  Diagnose(message);
  return {pod::kCollectorWentAway, message, EndLine(record_, kUnknown, kNoResult)};
}

Settlement PodCollector::SettleAgain(const Outcome& outcome) {
  keeper_.board().Note("retried", outcome.reason);
  Note(RetryNote(record_.spec.retry, outcome));
  Status stored = keeper_.StoreLog();
  if (stored) stored = keeper_.StoreAttempt(outcome);
  // The next attempt is made all the same: it begins with what is stored.
  DiagnoseError("storing an attempt", stored);
  keeper_.FinishCompiled(true);
  return {pod::kAnotherAttempt, Message(record_, outcome), {}};
}

Settlement PodCollector::SettleFinally(Outcome outcome) {
  keeper_.KeepOutcome(outcome);
  const auto counts = keeper_.StoreAll(outcome);
  if (!counts) return NotStored(counts.error());
  if (!*counts) {
    auto known = KnownResult();
    if (known && *known) return **std::move(known);
  }
  keeper_.Show(outcome.state, outcome.phase, outcome.reason);
  // Whoever waits for the job has its outcome now.
  keeper_.FinishCompiled(outcome.state != JobState::kSucceeded);
  return Final(record_, outcome, keeper_.result_json());
}

/// A function that had returned has succeeded; of anything else nobody here knows how it ended.
std::optional<Outcome> PodCollector::JudgeKilled() {
  const bool returned = IsThere(seams_.fs, folder_.Returned()) &&
                        !IsThere(seams_.fs, folder_.runtime.CancelRequest());
  if (!returned) return std::nullopt;
  EndReport report;
  report.end.emplace().messages.push_back({.kind = ShimMessage::Kind::kReturned});
  return Judge(report);
}

/// Everything is stored but the job's outcome: whoever sees the pod's status knows more.
Settlement PodCollector::Abandon() {
  DiagnoseError("reading the log", BeginNotes(0));
  Outcome outcome;
  outcome.state = JobState::kLost;
  outcome.exit_code = record::kExitLost;
  outcome.exit_source = ExitSource::kKinetic;
  outcome.phase = running_ ? Phase::kRun : Phase::kStart;
  outcome.reason = "every process of the job's container was killed at once";
  outcome.attempt = attempt_;
  Note(outcome.reason);
  FinishCheckpoints(true);
  const Status stored = keeper_.StoreLeft(outcome);
  if (!stored) return NotStored(stored.error());
  return {pod::kCollectorWentAway, Message(record_, outcome),
          EndLine(record_, kUnknown, kNoResult)};
}

}  // namespace kinetic::runner
