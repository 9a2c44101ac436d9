#include "store/folder_lock.h"

#include "base/try.h"
#include "store/name.h"
#include "store/sharing.h"

#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace kinetic::store {
namespace {

using std::chrono::microseconds;

/// FNV-1a: the same in every process, whatever it was built with.
unsigned ShardOf(std::string_view name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return static_cast<unsigned>(hash % 64);
}

Path LockPath(const Path& root, std::string_view name) {
  const unsigned shard = ShardOf(name);
  const char digits[] = {static_cast<char>('0' + shard / 10), static_cast<char>('0' + shard % 10)};
  return root / kLockFolder / std::string_view(digits, 2);
}

Result<UniqueFd> OpenLock(FileSystem& fs, const Path& root, const Path& path) {
  const Sharing sharing = Sharing::Of(fs, root);
  auto fd = fs.Open(path, OpenMode::kReadWrite, 0644);
  if (!fd && fd.error().code == ErrorCode::kNotFound) {
    KINETIC_RETURN_IF_ERROR(sharing.MakeFolder(fs, path.parent_path()));
    fd = fs.Open(path, OpenMode::kReadWrite, 0644);
  }
  if (fd) (void)sharing.OnFile(fs, path);
  // Another user's lock file need not be writable in order to be locked.
  if (!fd && fd.error().code == ErrorCode::kPermissionDenied) {
    auto readable = fs.Open(path, OpenMode::kRead, 0);
    if (readable) return readable;
  }
  return fd;
}

}  // namespace

Result<FolderLock> FolderLock::Take(FileSystem& fs, const Path& root, std::string_view name,
                                    const std::stop_token& stop) {
  const Path path = LockPath(root, name);
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, OpenLock(fs, root, path));
  // Real time, not the Clock's: it is another process that is waited for. Polling, because flock
  // cannot be interrupted by a stop request.
  for (microseconds pause(50);; pause = std::min(pause * 2, microseconds(5000))) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return FolderLock(std::move(fd));
    if (errno != EWOULDBLOCK && errno != EINTR) return Failure(ErrnoError(errno, "locking", path));
    if (stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled,
                  "stopped while waiting for another process to finish with "
                  "an object of the store");
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace kinetic::store
