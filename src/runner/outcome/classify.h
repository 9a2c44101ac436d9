#pragma once

#include "kinetic/job.h"
#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include "runner/program/runner.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Turns events into outcomes: the table in docs/reference/runner.md, "Outcomes". Pure functions.
namespace kinetic::runner {

/// Why a job is stopped before its program ends.
enum class StopReason : std::uint8_t {
  kNone,
  kCancelled,       ///< the file `cancel` was created
  kTerminated,      ///< this process received SIGTERM, as on shutdown
  kPendingTimeout,  ///< timeouts.pending passed before user code started
  kFolderRemoved,   ///< the runtime directory was removed
  kPreempted,       ///< the pod was deleted by another client; only a pod's collector knows
};

/// Returns the outcome of a program that has run, without the value of a function.
Outcome ClassifyProgram(const JobSpec& spec, const ProgramExit& exit, StopReason reason);

/// Returns the outcome of a job that was stopped in `phase`.
Outcome ClassifyInterruption(const JobSpec& spec, StopReason reason, Phase phase);

/// Returns the outcome when kinetic itself failed in `phase`.
Outcome ClassifyError(const Error& error, Phase phase);

/// Returns the log line that announces another attempt.
std::string RetryNote(const RetrySpec& retry, const Outcome& outcome);

/// Returns log lines about processes that kinetic terminated when the program ended.
std::vector<std::string> ExitNotes(const ProgramExit& exit, const ProgramLimits& limits);

/// Returns "SIGKILL", or "signal 42" for one without a name.
std::string SignalName(int signal);

/// report.json: how the program of a pod ended, or why it could not be run. Contains no secrets.
struct ExitReport {
  std::optional<ProgramExit> exit;
  std::optional<Error> fault;     ///< present if `exit` is not
  bool began = false;             ///< the program had started before the fault
  std::uint64_t next_record = 0;  ///< number after the last log record
};

std::string ToJson(const ExitReport& report);
/// @errors  kDataLoss.
Result<ExitReport> ExitReportFromJson(std::string_view json);

}  // namespace kinetic::runner
