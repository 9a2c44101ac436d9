#pragma once

#include "kinetic/error.h"
#include "kinetic/job.h"

#include <span>
#include <string_view>

namespace kinetic::cli {

/// Exit codes that kinetic itself uses. Any other code comes from the remote program. The remote
/// program can also exit with one of these; `exit_source` and a line on stderr tell the two cases
/// apart.
enum ExitCode : int {
  kSuccess = 0,
  kException = 1,
  kCheckFailed = 1,
  kUsage = 2,
  kWaitTimeout = 119,
  kNotSubmitted = 120,
  kNeverStarted = 121,
  kPreempted = 122,
  kFailedBeforeUserCode = 123,
  kTimeLimit = 124,
  kLost = 125,
  kCancelled = 126,
  kInterrupted = 130,
  kOutputClosed = 141,
};

struct ExitCodeInfo {
  int code;
  std::string_view name;  ///< as in JSON: "time_limit"
  std::string_view doc;
};

/// Returns the table of docs/reference/exit-codes.md.
std::span<const ExitCodeInfo> ExitCodes();

/// Returns whether kinetic uses this nonzero code itself.
bool IsReserved(int code);

/// Returns the exit code of a command that fails with this error. A request that a server rejects
/// is no mistake in the command line, unless something that it names does not exist.
int ExitCodeFor(const Error& error);

/// Returns "program", "exception" or "kinetic".
std::string_view Name(ExitSource source);

/// Returns docs/reference/exit-codes.md.
std::string ExitCodesDocument();

}  // namespace kinetic::cli
