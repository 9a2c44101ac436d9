#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/files/unique_fd.h"
#include "base/time/clock.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace kinetic {

/// Time after which a wait for a lock is reported.
inline constexpr std::chrono::seconds kLockReportDelay{5};
/// Longest wait for a lock that is held only briefly.
inline constexpr std::chrono::seconds kLockLimit{15};
/// Longest wait for a lock that is held during a download or a build.
inline constexpr std::chrono::hours kLongLockLimit{1};

/// How to wait for a lock.
struct LockWait {
  std::stop_token stop = {};
  std::chrono::seconds limit = kLockLimit;
  /// Takes a shared lock: other shared holders are allowed, exclusive ones are not.
  bool is_shared = false;
  /// Called after kLockReportDelay with a reason such as "/x is locked by process 812 (bash)".
  /// Called again with an empty reason if the lock is then acquired.
  std::function<void(const std::string& reason)> on_wait = {};
  /// Replaced only in tests, because another process holds the lock.
  Clock* clock = &SystemClock();
};

/// A lock on a file (flock), against other processes and other holders in this one. Exclusive unless
/// LockWait::is_shared. The destructor and the end of the process release it. The file must not be removed while another
/// process may wait for it: the two could then lock different files.
class FileLock {
 public:
  /// Takes an exclusive lock and creates the file if needed. Returns nullopt if the lock is held.
  static Result<std::optional<FileLock>> Try(FileSystem& fs, const Path& file);
  /// Waits for the lock. Creates the file if needed.
  ///
  /// @errors  kUnavailable: it was not released within the limit; names the holder · kCancelled ·
  ///          those of opening the file.
  static Result<FileLock> Acquire(FileSystem& fs, const Path& file, const LockWait& wait = {});
  /// Waits for the lock on an open file.
  static Result<FileLock> Acquire(UniqueFd fd, const Path& file, const LockWait& wait = {});
  /// Returns whether an exclusive lock is held; false if the file does not exist.
  static Result<bool> IsHeld(FileSystem& fs, const Path& file);

  /// Returns the open file. A process that inherits it holds the lock, too.
  int fd() const { return fd_.get(); }

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace kinetic
