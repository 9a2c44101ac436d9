#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"

namespace kinetic::runner {

/// Leaves the caller's session and process tree: what returns from Detach is a new process that no
/// terminal and no parent can end by ending. The caller's process waits until the new one says that
/// it is ready, or is gone, and exits with 0 or 1.
///
/// @threads  call before any thread is made.
class Daemon {
 public:
  static Result<Daemon> Detach();

  /// Writes `answer` to standard output, gives up standard input and output, lets the first process
  /// exit, and from now on writes standard error to `diagnostics`.
  Status Ready(std::string_view answer, const Path& diagnostics);

 private:
  explicit Daemon(UniqueFd ready) : ready_(std::move(ready)) {}
  UniqueFd ready_;
};

}  // namespace kinetic::runner
