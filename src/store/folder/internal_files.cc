#include "store/folder/internal_files.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "base/strings.h"
#include "store/object.h"

#include <utility>

namespace kinetic::store {
namespace {

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

Result<UniqueFd> OpenLockFile(FileSystem& fs, const SharedMode& mode, const Path& path) {
  auto fd = fs.Open(path, OpenMode::kReadWrite, 0644);
  if (fd) (void)mode.ApplyToFile(fs, path);
  // flock works on another user's file that is only readable.
  if (!fd && fd.error().code == ErrorCode::kPermissionDenied) {
    auto readable = fs.Open(path, OpenMode::kRead, 0);
    if (readable) return readable;
  }
  return fd;
}

Result<UniqueFd> OpenLock(FileSystem& fs, const Path& root, const Path& path) {
  const SharedMode mode = SharedMode::Of(fs, root);
  auto fd = OpenLockFile(fs, mode, path);
  if (fd) return fd;
  // The folder is missing, or another program has put something else there or at the lock's name.
  KINETIC_RETURN_IF_ERROR(mode.MakeFolder(fs, path.parent_path()));
  const auto status = fs.Lstat(path);
  // Another user may hold a lock that this one cannot open.
  if (status && status->type != FileType::kRegular) {
    KINETIC_RETURN_IF_ERROR(Discard(fs, root, path, status->type));
  }
  return OpenLockFile(fs, mode, path);
}

constexpr std::string_view kDiscarded = ".damaged-";

Status IgnoreMissing(Status status) {
  if (!status && status.error().code == ErrorCode::kNotFound) return {};
  return status;
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
  if (!made && made.error().code == ErrorCode::kAlreadyExists) {
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(folder));
    if (status.type != FileType::kDirectory) {
      KINETIC_RETURN_IF_ERROR(Discard(fs, folder.parent_path(), folder, status.type));
      made = fs.MakeDirectory(folder, 0777);
    }
  }
  if (!made && made.error().code != ErrorCode::kAlreadyExists) return made;
  (void)ApplyToFolder(fs, folder);  // another user may have created the folder
  return {};
}

Status SharedMode::ApplyToFolder(FileSystem& fs, const Path& folder) const {
  return mode_ == 0 ? Status() : fs.SetMode(folder, mode_);
}

Status SharedMode::ApplyToFile(FileSystem& fs, const Path& file) const {
  return mode_ == 0 ? Status() : fs.SetMode(file, kOwnerReadWrite | (mode_ & kAllReadable));
}

Status Discard(FileSystem& fs, const Path& root, const Path& path, FileType type) {
  if (type != FileType::kDirectory) {
    auto removed = IgnoreMissing(fs.Unlink(path));
    // Meanwhile another process has created a folder there.
    if (!removed && removed.error().code == ErrorCode::kInvalidArgument) return {};
    return removed;
  }
  if (IgnoreMissing(fs.RemoveDirectory(path))) return {};
  KINETIC_RETURN_IF_ERROR(SharedMode::Of(fs, root).MakeFolder(fs, root / kTemporaryFolder));
  if (IgnoreMissing(fs.Rename(path, root / kTemporaryFolder / RandomId()))) return {};
  // To move a folder elsewhere takes permission to write to it.
  return fs.Rename(path, path.parent_path() / (std::string(kDiscarded) + RandomId()));
}

bool IsDiscarded(std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return folder.substr(folder.rfind('/') + 1).starts_with(kDiscarded);
}

Result<TemporaryFile> TemporaryFile::Create(FileSystem& fs, const Path& folder) {
  Path path = folder / RandomId();
  const SharedMode mode = SharedMode::Of(fs, folder.parent_path());
  auto fd = fs.Open(path, OpenMode::kCreateNew, 0644);
  // kFailedPrecondition: another program has put a link there.
  if (!fd && (fd.error().code == ErrorCode::kNotFound ||
              fd.error().code == ErrorCode::kFailedPrecondition)) {
    KINETIC_RETURN_IF_ERROR(mode.MakeFolder(fs, folder));
    fd = fs.Open(path, OpenMode::kCreateNew, 0644);
  }
  if (!fd) return Failure(std::move(fd).error());
  TemporaryFile file(fs, std::move(path), *std::move(fd));
  KINETIC_RETURN_IF_ERROR(mode.ApplyToFile(fs, file.path()));
  return file;
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : fs_(other.fs_),
      path_(std::exchange(other.path_, Path())),
      fd_(std::move(other.fd_)),
      size_bytes_(other.size_bytes_) {}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) (void)fs_->Unlink(path_);
}

Status TemporaryFile::Write(std::string_view bytes) {
  constexpr std::size_t kBlockBytes = 4096;
  const std::uint64_t offset = std::exchange(size_bytes_, size_bytes_ + bytes.size());
  const bool is_zero = bytes.size() >= kBlockBytes && bytes.front() == '\0' &&
                       bytes.substr(1) == bytes.substr(0, bytes.size() - 1);
  return is_zero ? Status() : fs_->WriteAt(fd_.get(), bytes, offset);
}

Status TemporaryFile::Finish(std::optional<WallTime> modified, bool flush) {
  KINETIC_RETURN_IF_ERROR(fs_->Truncate(fd_.get(), size_bytes_));
  if (modified) KINETIC_RETURN_IF_ERROR(fs_->SetModifiedTime(path_, *modified));
  return flush ? fs_->Sync(fd_.get()) : Status();
}

Status TemporaryFile::RenameTo(const Path& target) {
  KINETIC_RETURN_IF_ERROR(fs_->Rename(path_, target));
  path_.clear();
  return {};
}

Result<FileLock> LockObject(FileSystem& fs, const Path& root, std::string_view name,
                            const std::stop_token& stop) {
  const Path path = LockPath(root, name);
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, OpenLock(fs, root, path));
  return FileLock::Acquire(std::move(fd), path, {.stop = stop});
}

}  // namespace kinetic::store
