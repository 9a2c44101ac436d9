#include "runner/verdict.h"

#include "base/units.h"
#include "record/exit_codes.h"
#include "runner/masker.h"

#include <fmt/format.h>

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr int kExitException = 1;

const ShimMessage* LastWord(const ProgramEnd& end) {
  const ShimMessage* word = nullptr;
  for (const auto& message : end.messages) {
    const bool says_how_it_ended = message.kind != ShimMessage::Kind::kStarted &&
                                   message.kind != ShimMessage::Kind::kLingering;
    if (says_how_it_ended) word = &message;
  }
  return word;
}

Outcome Failed(int exit_code, ExitSource source, Phase phase, std::string reason) {
  Outcome outcome;
  outcome.state = JobState::kFailed;
  outcome.exit_code = exit_code;
  outcome.exit_source = source;
  outcome.phase = phase;
  outcome.reason = std::move(reason);
  return outcome;
}

Outcome Succeeded() {
  Outcome outcome;
  outcome.state = JobState::kSucceeded;
  outcome.phase = Phase::kCollect;
  return outcome;
}

/// " of 2 GiB", a whole number without its zero; empty without a limit.
std::string LimitText(const JobSpec& spec) {
  if (!spec.resources.memory_bytes) return {};
  std::string text = " of " + FormatBytes(*spec.resources.memory_bytes);
  const std::size_t zero = text.find(".0 ");
  if (zero != std::string::npos) text.erase(zero, 2);
  return text;
}

/// How the process ended, when nothing else explains it.
Outcome JudgeExit(const ExitStatus& exit) {
  if (exit.signal != 0) {
    return Failed(exit.ShellCode(), ExitSource::kProgram, Phase::kRun,
                  fmt::format("killed by {} (128+{})", SignalName(exit.signal), exit.signal));
  }
  if (exit.code == 0) return Succeeded();
  return Failed(exit.code, ExitSource::kProgram, Phase::kRun,
                fmt::format("exited with code {}", exit.code));
}

Outcome JudgeRaised(const ShimMessage& message) {
  Outcome outcome = Failed(kExitException, ExitSource::kException, Phase::kRun, {});
  outcome.exception = message.exception;
  const std::string& text = message.exception->message;
  outcome.reason = message.exception->type;
  if (!text.empty()) outcome.reason += ": " + text.substr(0, text.find('\n'));
  return outcome;
}

/// A function whose process ended without a word of how the function did.
Outcome JudgeSilence(const ProgramEnd& end) {
  Outcome outcome = JudgeExit(end.exit);
  if (outcome.state == JobState::kSucceeded) {
    return Failed(1, ExitSource::kKinetic, Phase::kRun,
                  "the program ended with code 0 before the function returned (os._exit?)");
  }
  if (end.exit.signal == 0) outcome.reason += " before the function returned";
  if (end.messages.empty() && end.exit.signal == 0) {
    outcome = Failed(record::kExitBeforeUserCode, ExitSource::kKinetic, Phase::kStart,
                     fmt::format("python exited with code {} before it began; its messages are in "
                                 "the log",
                                 end.exit.code));
  }
  if (end.control_fault) outcome.reason += "; " + end.control_fault->message;
  return outcome;
}

Outcome JudgeFunction(const ProgramEnd& end) {
  const ShimMessage* word = LastWord(end);
  if (word == nullptr) return JudgeSilence(end);
  switch (word->kind) {
    case ShimMessage::Kind::kReturned:
      return Succeeded();
    case ShimMessage::Kind::kRaised:
      return JudgeRaised(*word);
    case ShimMessage::Kind::kRefused:
      return Failed(record::kExitBeforeUserCode, ExitSource::kKinetic, Phase::kStart, word->reason);
    case ShimMessage::Kind::kUnserialisable: {
      std::string reason = "the result cannot travel: " + word->reason;
      if (!word->detail.empty()) reason += ": " + word->detail;
      return Failed(kExitException, ExitSource::kKinetic, Phase::kCollect, std::move(reason));
    }
    case ShimMessage::Kind::kExited:
      if (word->number == 0) return Succeeded();
      return Failed(static_cast<int>(word->number), ExitSource::kProgram, Phase::kRun,
                    fmt::format("the function exited with code {}", word->number));
    case ShimMessage::Kind::kStarted:
    case ShimMessage::Kind::kLingering:
      break;
  }
  return JudgeSilence(end);
}

}  // namespace

std::string SignalName(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

Outcome JudgeProgram(const JobSpec& spec, const ProgramEnd& end, Cause cause) {
  // A function that returned before the stop request took effect has succeeded all the same.
  const ShimMessage* word = LastWord(end);
  const bool returned = word != nullptr && word->kind == ShimMessage::Kind::kReturned;
  if (end.stopped && !returned) return JudgeInterruption(spec, cause, Phase::kRun);
  if (end.out_of_time) {
    return Failed(record::kExitOutOfTime, ExitSource::kKinetic, Phase::kRun,
                  "ran longer than timeouts.run, " + FormatDuration(*spec.timeouts.run));
  }
  if (end.out_of_memory && !returned) {
    return Failed(128 + SIGKILL, ExitSource::kProgram, Phase::kRun,
                  "killed: used more than its memory limit" + LimitText(spec));
  }
  return spec.function ? JudgeFunction(end) : JudgeExit(end.exit);
}

Outcome JudgeInterruption(const JobSpec& spec, Cause cause, Phase phase) {
  if (cause == Cause::kTooLate) {
    return Failed(record::kExitTooLate, ExitSource::kKinetic, phase,
                  "did not begin within timeouts.pending, " +
                      FormatDuration(spec.timeouts.pending.value_or(std::chrono::milliseconds(0))));
  }
  if (cause == Cause::kPreempted) {
    Outcome outcome = Failed(record::kExitPreempted, ExitSource::kKinetic, phase,
                             "preempted: its pod was told to end by somebody else than kinetic");
    outcome.state = JobState::kPreempted;
    return outcome;
  }
  Outcome outcome = Failed(record::kExitCancelled, ExitSource::kKinetic, phase, "cancelled");
  outcome.state = JobState::kCancelled;
  if (cause == Cause::kTerminated) {
    outcome.reason = "cancelled: the supervisor got SIGTERM, as when the machine shuts down";
  }
  return outcome;
}

Outcome JudgeFault(const Error& error, Phase phase) {
  const bool after = phase == Phase::kCollect || phase == Phase::kRun;
  std::string reason = error.message;
  if (!error.hint.empty()) reason += " (" + error.hint + ")";
  return Failed(after ? 1 : record::kExitBeforeUserCode, ExitSource::kKinetic, phase,
                std::move(reason));
}

std::string RetryNote(const RetrySpec& retry, const Outcome& outcome) {
  return fmt::format("attempt {} of {}: {}; trying again", outcome.attempt, retry.attempts,
                     outcome.reason);
}

bool WantsRetry(const RetrySpec& retry, const Outcome& outcome, std::uint32_t attempt) {
  if (attempt >= retry.attempts) return false;
  if (outcome.state == JobState::kPreempted) {
    return retry.on_preempted || retry.on_infrastructure;
  }
  if (outcome.state != JobState::kFailed) return false;
  if (outcome.exit_source == ExitSource::kKinetic) return false;
  return std::find(retry.on_exit_codes.begin(), retry.on_exit_codes.end(), outcome.exit_code) !=
         retry.on_exit_codes.end();
}

void MaskException(RemoteException& exception, const std::vector<std::string>& secrets) {
  exception.message = Masked(exception.message, secrets);
  for (auto& frame : exception.traceback) frame.code = Masked(frame.code, secrets);
  if (!exception.cause) return;
  RemoteException cause = *exception.cause;
  MaskException(cause, secrets);
  exception.cause = std::make_shared<const RemoteException>(std::move(cause));
}

void MaskOutcome(Outcome& outcome, const std::vector<std::string>& secrets) {
  if (secrets.empty()) return;
  outcome.reason = Masked(outcome.reason, secrets);
  if (outcome.exception) MaskException(*outcome.exception, secrets);
}

}  // namespace kinetic::runner
