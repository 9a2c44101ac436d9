#pragma once

#include "kinetic/result.h"

#include "env/install/tool_options.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace kinetic::env {

/// An exclusive lock on a file, against other processes and other holders in this one. The file is
/// never removed, because two processes could then lock different files.
class FileLock {
 public:
  /// Returns nullopt if the file is locked.
  static Result<std::optional<FileLock>> TryAcquire(FileSystem& fs, const Path& path);

  /// Waits for the lock. Calls `on_wait` once if it is not available immediately.
  /// @errors  kCancelled · those of opening the file.
  static Result<FileLock> Acquire(const ToolOptions& tools, const Path& path,
                                  const std::function<void()>& on_wait, std::stop_token stop);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace kinetic::env
