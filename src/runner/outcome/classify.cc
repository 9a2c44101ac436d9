#include "runner/outcome/classify.h"

#include "base/strings.h"
#include "record/outcome.h"

#include <fmt/format.h>

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

const ShimMessage* FinalMessage(const ProgramExit& exit) {
  const ShimMessage* final = nullptr;
  for (const auto& message : exit.messages) {
    const bool is_final = message.kind != ShimMessage::Kind::kStarted &&
                          message.kind != ShimMessage::Kind::kLingering;
    if (is_final) final = &message;
  }
  return final;
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

/// Returns " of 2 GiB", without ".0"; empty without a limit.
std::string LimitText(const JobSpec& spec) {
  if (!spec.resources.memory_bytes) return {};
  std::string text = " of " + FormatBytes(*spec.resources.memory_bytes);
  const std::size_t zero = text.find(".0 ");
  if (zero != std::string::npos) text.erase(zero, 2);
  return text;
}

/// Returns the outcome by exit status alone.
Outcome ClassifyExitStatus(const ExitStatus& status) {
  if (status.signal != 0) {
    return Failed(status.ShellCode(), ExitSource::kProgram, Phase::kRun,
                  fmt::format("killed by {} (128+{})", SignalName(status.signal), status.signal));
  }
  if (status.code == 0) return Succeeded();
  return Failed(status.code, ExitSource::kProgram, Phase::kRun,
                fmt::format("exited with code {}", status.code));
}

Outcome ClassifyException(const ShimMessage& message) {
  Outcome outcome = Failed(record::kExitException, ExitSource::kException, Phase::kRun, {});
  outcome.exception = message.exception;
  const std::string& text = message.exception->message;
  outcome.reason = message.exception->type;
  if (!text.empty()) outcome.reason += ": " + text.substr(0, text.find('\n'));
  return outcome;
}

/// Returns the outcome of a function whose process ended without a final message.
Outcome ClassifyMissingReport(const FunctionReference& function, const ProgramExit& exit) {
  Outcome outcome = ClassifyExitStatus(exit.status);
  if (outcome.state == JobState::kSucceeded) {
    return Failed(record::kExitException, ExitSource::kKinetic, Phase::kRun,
                  fmt::format("the program exited with code 0 before the function returned{}",
                              function.IsNative() ? "" : " (os._exit?)"));
  }
  if (exit.status.signal == 0) outcome.reason += " before the function returned";
  if (exit.messages.empty() && exit.status.signal == 0) {
    outcome =
        Failed(record::kExitBeforeUserCode, ExitSource::kKinetic, Phase::kStart,
               fmt::format(
                   "{} exited with code {} before it called the function; see the log{}",
                   function.IsNative() ? "the program" : "python", exit.status.code,
                   function.IsNative() ? ", and call kinetic::InitFunctions first in main()" : ""));
  }
  if (exit.control_fault) outcome.reason += "; " + exit.control_fault->message;
  return outcome;
}

Outcome ClassifyFunction(const FunctionReference& function, const ProgramExit& exit) {
  const ShimMessage* message = FinalMessage(exit);
  if (message == nullptr) return ClassifyMissingReport(function, exit);
  switch (message->kind) {
    case ShimMessage::Kind::kReturned:
      return Succeeded();
    case ShimMessage::Kind::kRaised:
      return ClassifyException(*message);
    case ShimMessage::Kind::kRefused:
      return Failed(record::kExitBeforeUserCode, ExitSource::kKinetic, Phase::kStart,
                    message->reason);
    case ShimMessage::Kind::kNotSerializable: {
      std::string reason = "cannot store the return value: " + message->reason;
      if (!message->detail.empty()) reason += ": " + message->detail;
      return Failed(record::kExitException, ExitSource::kKinetic, Phase::kCollect,
                    std::move(reason));
    }
    case ShimMessage::Kind::kExited:
      if (message->number == 0) return Succeeded();
      return Failed(static_cast<int>(message->number), ExitSource::kProgram, Phase::kRun,
                    fmt::format("the function exited with code {}", message->number));
    case ShimMessage::Kind::kStarted:
    case ShimMessage::Kind::kLingering:
    case ShimMessage::Kind::kCalled:
      break;
  }
  return ClassifyMissingReport(function, exit);
}

/// Returns the outcome of a command. One that ends like a Python program with an exception has that.
Outcome ClassifyCommand(const ProgramExit& exit) {
  Outcome outcome = ClassifyExitStatus(exit.status);
  const std::string& error = exit.python_error;
  const std::string type = error.substr(0, error.find(": "));
  const bool is_raised = exit.status.signal == 0 && exit.status.code == record::kExitException;
  if (!is_raised || type.empty() || type.find(' ') != std::string::npos) return outcome;
  outcome.exception =
      RemoteException{.type = type, .message = {}, .traceback = {}, .relation = {}, .cause = {}};
  if (type != error) outcome.exception->message = error.substr(type.size() + 2);
  outcome.reason += ": " + error;
  return outcome;
}

}  // namespace

std::string SignalName(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

Outcome ClassifyProgram(const JobSpec& spec, const ProgramExit& exit, StopReason reason) {
  // A function that returned has succeeded, even if a stop was requested.
  const ShimMessage* message = FinalMessage(exit);
  const bool returned = message != nullptr && message->kind == ShimMessage::Kind::kReturned;
  if (exit.stopped && !returned) return ClassifyInterruption(spec, reason, Phase::kRun);
  if (exit.timed_out) {
    return Failed(record::kExitTimeLimit, ExitSource::kKinetic, Phase::kRun,
                  "exceeded its time limit (" + FormatDuration(*spec.timeouts.run) + ")" +
                      (spec.max_cost.empty() ? "" : ", with max_cost: " + spec.max_cost));
  }
  if (exit.out_of_memory && !returned) {
    return Failed(128 + SIGKILL, ExitSource::kProgram, Phase::kRun,
                  "killed: exceeded its memory limit" + LimitText(spec));
  }
  if (spec.function) return ClassifyFunction(*spec.function, exit);
  return ClassifyCommand(exit);
}

Outcome ClassifyInterruption(const JobSpec& spec, StopReason reason, Phase phase) {
  if (reason == StopReason::kPendingTimeout) {
    return Failed(record::kExitTooLate, ExitSource::kKinetic, phase,
                  "did not start within timeouts.pending (" +
                      FormatDuration(spec.timeouts.pending.value_or(std::chrono::milliseconds(0))) +
                      ")");
  }
  if (reason == StopReason::kFolderRemoved) {
    const Error removed{ErrorCode::kNotFound, "the job's folder was removed while the job ran"};
    return ClassifyError(removed, phase);
  }
  if (reason == StopReason::kPreempted) {
    Outcome outcome = Failed(record::kExitPreempted, ExitSource::kKinetic, phase,
                             "the pod was deleted by another client");
    outcome.state = JobState::kPreempted;
    return outcome;
  }
  Outcome outcome = Failed(record::kExitCancelled, ExitSource::kKinetic, phase, "cancelled");
  outcome.state = JobState::kCancelled;
  if (reason == StopReason::kTerminated) {
    outcome.reason = "the supervisor received SIGTERM, as on shutdown";
  }
  return outcome;
}

Outcome ClassifyError(const Error& error, Phase phase) {
  const bool after = phase == Phase::kCollect || phase == Phase::kRun;
  std::string reason = error.message;
  if (!error.hint.empty()) reason += " (" + error.hint + ")";
  return Failed(after ? record::kExitNotStored : record::kExitBeforeUserCode, ExitSource::kKinetic,
                phase, std::move(reason));
}

std::string RetryNote(const RetrySpec& retry, const Outcome& outcome) {
  return fmt::format("attempt {} of {}: {}; retrying", outcome.attempt, retry.attempts,
                     outcome.reason);
}

namespace {

/// Returns how a function ended whose program kept running, after "the function" or "had".
std::string_view EndOfFunction(const ShimMessage* final) {
  if (final == nullptr) return "ended";
  switch (final->kind) {
    case ShimMessage::Kind::kRaised:
      return "raised an exception";
    case ShimMessage::Kind::kExited:
      return "exited";
    case ShimMessage::Kind::kReturned:
    case ShimMessage::Kind::kNotSerializable:
      return "returned";
    default:
      return "ended";
  }
}

}  // namespace

std::vector<std::string> ExitNotes(const ProgramExit& exit, const ProgramLimits& limits) {
  std::vector<std::string> notes;
  const ShimMessage* message = FinalMessage(exit);
  if (message != nullptr && message->kind == ShimMessage::Kind::kExited &&
      !message->detail.empty()) {
    notes.push_back(message->detail);
  }
  if (exit.lingered == LingerLimit::kGrace) {
    notes.push_back(fmt::format("terminated: still running {} after the function {}",
                                FormatDuration(limits.grace), EndOfFunction(message)));
  } else if (exit.lingered == LingerLimit::kRunLimit) {
    notes.push_back(
        fmt::format("terminated: the function had {}, but the program was still running at "
                    "timeouts.run, {}",
                    EndOfFunction(message), FormatDuration(*limits.run)));
  }
  if (exit.remaining_processes > 0 && !exit.stopped && !exit.timed_out) {
    notes.push_back(fmt::format("terminated: {} {} that the program left behind",
                                exit.remaining_processes,
                                exit.remaining_processes == 1 ? "process" : "processes"));
  }
  return notes;
}

}  // namespace kinetic::runner
