#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/files/unique_fd.h"
#include "base/time/clock.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

namespace kinetic {

/// An exclusive lock on a file (flock), against other processes and other holders in this one. The
/// destructor and the end of the process release it. The file must not be removed while another
/// process may wait for it: the two could then lock different files.
class FileLock {
 public:
  /// Takes the lock and creates the file if needed. Returns nullopt if the lock is held.
  static Result<std::optional<FileLock>> Try(FileSystem& fs, const Path& file);
  /// Waits for the lock. For locks that are held only briefly.
  static Result<FileLock> Take(FileSystem& fs, const Path& file);
  /// Waits for the lock. Calls `on_wait` once if it is not available immediately.
  ///
  /// @errors  kCancelled · those of opening the file.
  static Result<FileLock> Acquire(FileSystem& fs, Clock& clock, const Path& file,
                                  const std::function<void()>& on_wait, std::stop_token stop);
  /// Returns whether the lock is held; false if the file does not exist.
  static Result<bool> IsHeld(FileSystem& fs, const Path& file);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace kinetic
