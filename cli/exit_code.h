#pragma once

#include "kinetic/error.h"
#include "kinetic/job.h"

#include <span>
#include <string_view>

namespace kinetic::cli {

/// The exit codes that mean something to kinetic itself. Any other one is the remote program's, and
/// one of these can be that too: `exit_source` and a line on stderr tell them apart.
enum ExitCode : int {
  kSuccess = 0,
  kException = 1,
  kUsage = 2,
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

/// The table of docs/reference/exit-codes.md.
std::span<const ExitCodeInfo> ExitCodes();

/// Whether kinetic gives this code, other than 0, a meaning of its own.
bool IsReserved(int code);

/// What the process exits with when a command fails with this error.
int ExitCodeFor(ErrorCode code);

/// "program", "exception" or "kinetic".
std::string_view Name(ExitSource source);

/// docs/reference/exit-codes.md.
std::string ExitCodesDocument();

}  // namespace kinetic::cli
