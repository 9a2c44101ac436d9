#include "env/virtualenv/file_lock.h"

#include "kinetic/try.h"

#include <sys/file.h>

#include <cerrno>
#include <utility>

namespace kinetic::env {

namespace {
constexpr std::chrono::milliseconds kPause{50};
}

Result<std::optional<FileLock>> FileLock::TryAcquire(FileSystem& fs, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(path, OpenMode::kReadWrite, 0600));
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) < 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return std::optional<FileLock>();
    return Failure(ErrnoError(errno, "locking", path));
  }
  return std::optional<FileLock>(FileLock(std::move(fd)));
}

Result<FileLock> FileLock::Acquire(const ToolOptions& tools, const Path& path,
                                   const std::function<void()>& on_wait, std::stop_token stop) {
  for (bool notified = false;; notified = true) {
    KINETIC_ASSIGN_OR_RETURN(auto lock, TryAcquire(*tools.fs, path));
    if (lock) return *std::move(lock);
    if (!notified) on_wait();
    KINETIC_RETURN_IF_ERROR(tools.clock->Sleep(kPause, stop));
  }
}

}  // namespace kinetic::env
