#include "exit_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace kinetic::cli {
namespace {

constexpr std::array kExitCodes = {
    ExitCodeInfo{kSuccess, "success", "Success. For a job: the job succeeded."},
    ExitCodeInfo{
        kException, "exception",
        "The job's function raised an exception, ended its process, or returned a value "
        "that is not serializable. For `doctor` and `version --check`: a check failed. For "
        "`cancel`: a job had already ended."},
    ExitCodeInfo{kUsage, "usage",
                 "Invalid command line, job file or setting, or a job or profile that does not "
                 "exist."},
    ExitCodeInfo{kWaitTimeout, "wait_timeout",
                 "The jobs did not finish within `kinetic wait --timeout`. They continue."},
    ExitCodeInfo{kNotSubmitted, "not_submitted",
                 "The job was not submitted, its result could not be stored, its state does not "
                 "allow the command, or kinetic itself failed."},
    ExitCodeInfo{kNeverStarted, "never_started",
                 "The job did not start within `timeouts.pending`."},
    ExitCodeInfo{kPreempted, "preempted", "The job was preempted and has no attempts left."},
    ExitCodeInfo{kFailedBeforeUserCode, "failed_before_user_code",
                 "The job failed before any user code ran."},
    ExitCodeInfo{kTimeLimit, "time_limit", "The job exceeded `timeouts.run`."},
    ExitCodeInfo{kLost, "lost", "The job's machine or supervisor disappeared."},
    ExitCodeInfo{kCancelled, "cancelled", "The job was cancelled."},
    ExitCodeInfo{
        kInterrupted, "interrupted",
        "`kinetic` was interrupted (Ctrl-C, SIGTERM), or its question was answered with no. A "
        "submitted job continues. After Ctrl-C the program ends by SIGINT, which shells show as "
        "this code, and which also ends a loop or script."},
    ExitCodeInfo{kOutputClosed, "output_closed",
                 "The reader of the output closed the pipe, as `head` does."},
};

}  // namespace

std::span<const ExitCodeInfo> ExitCodes() { return kExitCodes; }

bool IsReserved(int code) {
  return code != kSuccess && std::any_of(kExitCodes.begin(), kExitCodes.end(),
                                         [&](const auto& row) { return row.code == code; });
}

int ExitCodeFor(const Error& error) {
  // The HTTP status of the server's answer.
  const bool server = std::ranges::any_of(
      error.details, [](const auto& detail) { return detail.first == "status"; });
  switch (error.code) {
    case ErrorCode::kCancelled:
      return kInterrupted;
    case ErrorCode::kNotFound:
      return kUsage;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kUnimplemented:
      return server ? kNotSubmitted : kUsage;
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
      "`run`, `attach`, `wait` and `result` exit with the job's exit code. This is the program's "
      "own\n"
      "code, or 128 + n if signal n killed the program. kinetic reserves the codes below. If a "
      "program\n"
      "exits with one of them, except 0, kinetic prints a note on stderr. With `--json`, "
      "`exit_source`\n"
      "contains the origin of the code:\n\n"
      "| `exit_source` | origin of the exit code |\n|---|---|\n"
      "| `program` | the program |\n"
      "| `exception` | an exception raised by the job's function |\n"
      "| `kinetic` | kinetic |\n\n"
      "| code | name | meaning |\n|---|---|---|\n";
  for (const ExitCodeInfo& row : kExitCodes)
    text += fmt::format("| {} | `{}` | {} |\n", row.code, row.name, row.doc);
  text += "\nAll other commands exit with 0 on success and with one of these codes on failure.\n";
  return text;
}

}  // namespace kinetic::cli
