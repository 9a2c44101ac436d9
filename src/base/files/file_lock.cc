#include "base/files/file_lock.h"

#include "kinetic/try.h"

#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace kinetic {
namespace {

constexpr std::chrono::milliseconds kPollInterval{50};

/// Locks an open file. Returns false if the lock is held and `operation` is non-blocking.
Result<bool> Lock(int fd, int operation, const Path& file) {
  while (::flock(fd, operation) < 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return false;
    return Failure(ErrnoError(errno, "locking", file));
  }
  return true;
}

}  // namespace

Result<std::optional<FileLock>> FileLock::Try(FileSystem& fs, const Path& file) {
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(file, OpenMode::kReadWrite, 0600));
  KINETIC_ASSIGN_OR_RETURN(const bool locked, Lock(fd.get(), LOCK_EX | LOCK_NB, file));
  if (!locked) return std::optional<FileLock>();
  return std::optional(FileLock(std::move(fd)));
}

Result<FileLock> FileLock::Take(FileSystem& fs, const Path& file) {
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(file, OpenMode::kReadWrite, 0600));
  KINETIC_RETURN_IF_ERROR(Lock(fd.get(), LOCK_EX, file));
  return FileLock(std::move(fd));
}

Result<FileLock> FileLock::Acquire(FileSystem& fs, Clock& clock, const Path& file,
                                   const std::function<void()>& on_wait, std::stop_token stop) {
  for (bool notified = false;; notified = true) {
    KINETIC_ASSIGN_OR_RETURN(auto lock, Try(fs, file));
    if (lock) return *std::move(lock);
    if (!notified) on_wait();
    KINETIC_RETURN_IF_ERROR(clock.Sleep(kPollInterval, stop));
  }
}

Result<bool> FileLock::IsHeld(FileSystem& fs, const Path& file) {
  auto fd = fs.Open(file, OpenMode::kRead, 0);
  if (!fd) {
    if (fd.error().code == ErrorCode::kNotFound) return false;
    return Failure(std::move(fd).error());
  }
  KINETIC_ASSIGN_OR_RETURN(const bool locked, Lock(fd->get(), LOCK_SH | LOCK_NB, file));
  return !locked;
}

}  // namespace kinetic
