#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/files/unique_fd.h"

#include <sys/types.h>

#include <string_view>
#include <utility>

namespace kinetic::runner {

/// Forks when joined threads have exited: a fork of a process with several threads may inherit a lock
/// that no thread releases. Returns 0 in the child.
Result<pid_t> ForkAlone();

/// A process detached from the caller's session and process tree, so that it outlives its terminal
/// and parent. The original process waits until the daemon is ready or has ended, and exits with 0
/// or 1.
///
/// @threads  call while this process has one thread.
class Daemon {
 public:
  /// Returns in the new process only.
  ///
  /// @param starting  a locked file that shows that the supervisor is starting; Ready closes it.
  static Result<Daemon> Detach(UniqueFd starting);

  /// Continues in a child process, the supervisor, and returns there only. The calling process
  /// waits until the supervisor ends. If the supervisor was killed, it ends the remaining processes
  /// of the job.
  Status Split();

  /// Writes `answer` to standard output, closes standard input and output, lets the original
  /// process exit, and redirects standard error to `diagnostics`. Does nothing the second time.
  Status Ready(std::string_view answer, const Path& diagnostics);

 private:
  Daemon(UniqueFd ready, UniqueFd starting)
      : ready_(std::move(ready)), starting_(std::move(starting)) {}
  UniqueFd ready_;
  UniqueFd starting_;
};

}  // namespace kinetic::runner
