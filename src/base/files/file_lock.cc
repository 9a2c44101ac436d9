#include "base/files/file_lock.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace kinetic {
namespace {

constexpr std::chrono::milliseconds kFirstPause{1};
constexpr std::chrono::milliseconds kPollInterval{20};

/// Locks an open file. Returns false if the lock is held and `operation` is non-blocking.
Result<bool> Lock(int fd, int operation, const Path& file) {
  while (::flock(fd, operation) < 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return false;
    return Failure(ErrnoError(errno, "locking", file));
  }
  return true;
}

/// Returns "process 812 (bash)", according to /proc/locks.
std::string HolderOf(int fd) {
  struct stat file = {};
  std::ifstream locks("/proc/locks");
  const std::string place =
      ::fstat(fd, &file) == 0
          ? fmt::format(" {:02x}:{:02x}:{} ", major(file.st_dev), minor(file.st_dev), file.st_ino)
          : std::string();
  for (std::string line; !place.empty() && std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, type, access, pid, name;
    words >> number >> kind >> type >> access >> pid;
    if (kind != "FLOCK" || line.find(place) == std::string::npos) continue;
    std::getline(std::ifstream("/proc/" + pid + "/comm"), name);
    return fmt::format("process {} ({})", pid, Printable(name));
  }
  return "another process";
}

std::string LockedBy(int fd, const Path& file) {
  return fmt::format("{} is locked by {}", Printable(file.native()), HolderOf(fd));
}

}  // namespace

Result<std::optional<FileLock>> FileLock::Try(FileSystem& fs, const Path& file) {
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(file, OpenMode::kReadWrite, 0600));
  KINETIC_ASSIGN_OR_RETURN(const bool locked, Lock(fd.get(), LOCK_EX | LOCK_NB, file));
  if (!locked) return std::optional<FileLock>();
  return std::optional(FileLock(std::move(fd)));
}

Result<FileLock> FileLock::Acquire(FileSystem& fs, const Path& file, const LockWait& wait) {
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(file, OpenMode::kReadWrite, 0600));
  return Acquire(std::move(fd), file, wait);
}

Result<FileLock> FileLock::Acquire(UniqueFd fd, const Path& file, const LockWait& wait) {
  const SteadyTime begin = wait.clock->Steady();
  const int operation = (wait.is_shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  bool reported = false;
  // Polls, because flock has no time limit and a stop request cannot interrupt it.
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kPollInterval)) {
    KINETIC_ASSIGN_OR_RETURN(const bool locked, Lock(fd.get(), operation, file));
    if (locked) {
      if (reported) wait.on_wait({});
      return FileLock(std::move(fd));
    }
    const auto waited = wait.clock->Steady() - begin;
    if (waited >= wait.limit) {
      return Fail(ErrorCode::kUnavailable, LockedBy(fd.get(), file),
                  "end that process, or wait for it to end");
    }
    if (!reported && wait.on_wait && waited >= kLockReportDelay) {
      wait.on_wait(LockedBy(fd.get(), file));
      reported = true;
    }
    KINETIC_RETURN_IF_ERROR(wait.clock->Sleep(pause, wait.stop));
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
