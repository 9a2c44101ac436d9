#include "store/folder/internal_files.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "base/strings.h"
#include "store/object.h"

#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace kinetic::store {
namespace {

using std::chrono::microseconds;

constexpr std::uint32_t kGroupWritable = 0020;
constexpr std::uint32_t kOwnerReadWrite = 0600;
constexpr std::uint32_t kAllReadable = 0444;

/// FNV-1a: the same in every process, however it was built.
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
  const SharedMode mode = SharedMode::Of(fs, root);
  auto fd = fs.Open(path, OpenMode::kReadWrite, 0644);
  if (!fd && fd.error().code == ErrorCode::kNotFound) {
    KINETIC_RETURN_IF_ERROR(mode.MakeFolder(fs, path.parent_path()));
    fd = fs.Open(path, OpenMode::kReadWrite, 0644);
  }
  if (fd) (void)mode.ApplyToFile(fs, path);
  // flock works on another user's file that is only readable.
  if (!fd && fd.error().code == ErrorCode::kPermissionDenied) {
    auto readable = fs.Open(path, OpenMode::kRead, 0);
    if (readable) return readable;
  }
  return fd;
}

}  // namespace

SharedMode SharedMode::Of(FileSystem& fs, const Path& root) {
  SharedMode shared;
  const auto status = fs.Lstat(root);
  if (status && (status->mode & kGroupWritable) != 0) shared.mode_ = status->mode;
  return shared;
}

Status SharedMode::MakeFolder(FileSystem& fs, const Path& folder) const {
  auto made = fs.MakeDirectory(folder, 0777);
  if (!made && made.error().code != ErrorCode::kAlreadyExists) return made;
  if (!made) {
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(folder));
    if (status.type != FileType::kDirectory) {
      return Fail(ErrorCode::kFailedPrecondition,
                  "the store needs the folder " + Printable(folder.native()) +
                      ", but another program created a file or link of that name",
                  "remove it: kinetic keeps only temporary data there");
    }
  }
  (void)ApplyToFolder(fs, folder);  // another user may have created the folder
  return {};
}

Status SharedMode::ApplyToFolder(FileSystem& fs, const Path& folder) const {
  return mode_ == 0 ? Status() : fs.SetMode(folder, mode_);
}

Status SharedMode::ApplyToFile(FileSystem& fs, const Path& file) const {
  return mode_ == 0 ? Status() : fs.SetMode(file, kOwnerReadWrite | (mode_ & kAllReadable));
}

Result<TemporaryFile> TemporaryFile::Create(FileSystem& fs, const Path& folder) {
  Path path = folder / RandomId();
  const SharedMode mode = SharedMode::Of(fs, folder.parent_path());
  auto fd = fs.Open(path, OpenMode::kCreateNew, 0644);
  if (!fd && fd.error().code == ErrorCode::kNotFound) {
    KINETIC_RETURN_IF_ERROR(mode.MakeFolder(fs, folder));
    fd = fs.Open(path, OpenMode::kCreateNew, 0644);
  }
  if (!fd) return Failure(std::move(fd).error());
  TemporaryFile file(fs, std::move(path), *std::move(fd));
  KINETIC_RETURN_IF_ERROR(mode.ApplyToFile(fs, file.path()));
  return file;
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : fs_(other.fs_), path_(std::exchange(other.path_, Path())), fd_(std::move(other.fd_)) {}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) (void)fs_->Unlink(path_);
}

Status TemporaryFile::Finish(WallTime modified) {
  KINETIC_RETURN_IF_ERROR(fs_->SetModifiedTime(path_, modified));
  return fs_->Sync(fd_.get());
}

Status TemporaryFile::RenameTo(const Path& target) {
  KINETIC_RETURN_IF_ERROR(fs_->Rename(path_, target));
  path_.clear();
  return {};
}

Result<FolderLock> FolderLock::Acquire(FileSystem& fs, const Path& root, std::string_view name,
                                       const std::stop_token& stop) {
  const Path path = LockPath(root, name);
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, OpenLock(fs, root, path));
  // Real time instead of the Clock, because the lock belongs to another process. Polling, because a
  // stop request cannot interrupt flock.
  for (microseconds pause(50);; pause = std::min(pause * 2, microseconds(5000))) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return FolderLock(std::move(fd));
    if (errno != EWOULDBLOCK && errno != EINTR) return Failure(ErrnoError(errno, "locking", path));
    if (stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled,
                  "stopped while waiting for another process to unlock an object of the store");
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace kinetic::store
