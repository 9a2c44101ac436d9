#include "exit_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace kinetic::cli {
namespace {

constexpr std::array kTable = {
    ExitCodeInfo{kSuccess, "success", "It worked; for a job: the job succeeded."},
    ExitCodeInfo{kException, "exception", "The job's function raised an exception."},
    ExitCodeInfo{kUsage, "usage",
                 "The command line, the job file or a setting is wrong, or names a job or profile "
                 "that does not exist."},
    ExitCodeInfo{kNotSubmitted, "not_submitted",
                 "The job could not be submitted, or kinetic itself could not do what was asked."},
    ExitCodeInfo{kNeverStarted, "never_started",
                 "The job did not start within `timeouts.pending`."},
    ExitCodeInfo{kPreempted, "preempted", "The job was preempted and has no attempts left."},
    ExitCodeInfo{kFailedBeforeUserCode, "failed_before_user_code",
                 "The job failed before any of its own code ran."},
    ExitCodeInfo{kTimeLimit, "time_limit", "The job was ended by `timeouts.run`."},
    ExitCodeInfo{kLost, "lost", "The job's machine or supervisor disappeared."},
    ExitCodeInfo{kCancelled, "cancelled", "The job was cancelled."},
    ExitCodeInfo{kInterrupted, "interrupted",
                 "`kinetic` was interrupted here (Ctrl-C, SIGTERM); a job that was submitted goes "
                 "on."},
    ExitCodeInfo{kOutputClosed, "output_closed",
                 "Whatever read the output went away, as `head` does."},
};

}  // namespace

std::span<const ExitCodeInfo> ExitCodes() { return kTable; }

bool IsReserved(int code) {
  return code != kSuccess && std::any_of(kTable.begin(), kTable.end(),
                                         [&](const auto& row) { return row.code == code; });
}

int ExitCodeFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCancelled:
      return kInterrupted;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kUnimplemented:
      return kUsage;
    default:
      return kNotSubmitted;
  }
}

std::string_view Name(ExitSource source) {
  switch (source) {
    case ExitSource::kProgram:
      return "program";
    case ExitSource::kException:
      return "exception";
    case ExitSource::kKinetic:
      return "kinetic";
  }
  return "kinetic";
}

std::string ExitCodesDocument() {
  std::string text =
      "# Exit codes\n\n"
      "`run`, `attach`, `wait` and `result` exit with the code of the job: the program's own, or\n"
      "128 + n when signal n ended it. The codes below have a meaning of their own. A program may\n"
      "use them too: then a line on stderr says so, and with `--json` the member `exit_source` is\n"
      "`program` (the job's own code), `exception` (its function raised) or `kinetic`.\n\n"
      "| code | name | meaning |\n|---|---|---|\n";
  for (const ExitCodeInfo& row : kTable)
    text += fmt::format("| {} | `{}` | {} |\n", row.code, row.name, row.doc);
  text += "\nAll other commands exit with 0, or with one of these when they fail.\n";
  return text;
}

}  // namespace kinetic::cli
