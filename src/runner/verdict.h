#pragma once

#include "kinetic/job.h"
#include "kinetic/job_spec.h"

#include "runner/interruption.h"
#include "runner/launcher.h"

#include <string>
#include <vector>

/// From what happened to what it means. Pure: all of docs/reference/runner.md, "Outcomes".
namespace kinetic::runner {

/// The outcome of a program that has run. A succeeded function's value is not filled in.
Outcome JudgeProgram(const JobSpec& spec, const ProgramEnd& end, Cause cause);

/// The outcome of a job that was stopped in `phase`, before user code.
Outcome JudgeInterruption(const JobSpec& spec, Cause cause, Phase phase);

/// The outcome when kinetic itself failed in `phase`, before user code (kCollect: after it).
Outcome JudgeFault(const Error& error, Phase phase);

/// Whether another attempt follows.
bool WantsRetry(const RetrySpec& retry, const Outcome& outcome, std::uint32_t attempt);

/// What the log says before another attempt.
std::string RetryNote(const RetrySpec& retry, const Outcome& outcome);

/// Takes secrets out of the texts of an outcome; the value stays as it is.
void MaskOutcome(Outcome& outcome, const std::vector<std::string>& secrets);

/// The same for one exception and its causes.
void MaskException(RemoteException& exception, const std::vector<std::string>& secrets);

/// "SIGKILL"; "signal 42" for those without a name.
std::string SignalName(int signal);

}  // namespace kinetic::runner
