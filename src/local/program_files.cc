#include "local/program_files.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <utility>

namespace kinetic::local {
namespace {

constexpr std::uint32_t kOthersMayRead = 0004;
constexpr std::uint32_t kOthersMayEnter = 0005;

/// Returns whether a user who owns the file or is any other one has all `permissions`. Groups do
/// not count: the program's groups are unknown, and its own files have its user.
bool MayAccess(const FileStatus& status, std::uint32_t user, std::uint32_t permissions) {
  return status.owner == user || (status.mode & permissions) == permissions;
}

Failure Denied(std::string_view operation, const Path& path) {
  return Fail(ErrorCode::kPermissionDenied, std::string(operation) + " " +
                                                Printable(path.native()) +
                                                ": it belongs to another user and cannot be read");
}

/// Another file system, without what one user may not read.
class ReadableFiles final : public FileSystem {
 public:
  ReadableFiles(std::unique_ptr<FileSystem> all, std::uint32_t user)
      : all_(std::move(all)), user_(user) {}

  std::unique_ptr<FileSystem> Confined(const Path& root) override {
    return std::make_unique<ReadableFiles>(all_->Confined(root), user_);
  }
  Result<std::unique_ptr<FileSystem>> OpenConfined(const Path& root) override {
    KINETIC_ASSIGN_OR_RETURN(auto confined, all_->OpenConfined(root));
    return std::make_unique<ReadableFiles>(std::move(confined), user_);
  }

  /// Checks the open file, which nothing can replace any more.
  Result<UniqueFd> Open(const Path& path, OpenMode mode, std::uint32_t permissions) override {
    KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, all_->Open(path, mode, permissions));
    const bool reads = mode == OpenMode::kRead || mode == OpenMode::kReadWithoutWaiting;
    if (!reads) return fd;
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, all_->Fstat(fd.get()));
    if (!MayAccess(status, user_, kOthersMayRead)) return Denied("opening", path);
    return fd;
  }
  Result<std::vector<DirectoryEntry>> ReadDirectory(const Path& path) override {
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, all_->Lstat(path));
    if (!MayAccess(status, user_, kOthersMayEnter)) return Denied("listing", path);
    return all_->ReadDirectory(path);
  }

  Result<std::size_t> Read(int fd, std::span<char> buffer) override {
    return all_->Read(fd, buffer);
  }
  Result<std::size_t> ReadAt(int fd, std::span<char> buffer, std::uint64_t offset) override {
    return all_->ReadAt(fd, buffer, offset);
  }
  Status Write(int fd, std::string_view bytes) override { return all_->Write(fd, bytes); }
  Status WriteAt(int fd, std::string_view bytes, std::uint64_t offset) override {
    return all_->WriteAt(fd, bytes, offset);
  }
  Status Truncate(int fd, std::uint64_t size_bytes) override {
    return all_->Truncate(fd, size_bytes);
  }
  Status Sync(int fd) override { return all_->Sync(fd); }
  Result<FileStatus> Fstat(int fd) override { return all_->Fstat(fd); }
  Result<FileStatus> Lstat(const Path& path) override { return all_->Lstat(path); }
  Result<std::vector<std::optional<FileStatus>>> LstatAll(
      const Path& directory, std::span<const std::string> names) override {
    return all_->LstatAll(directory, names);
  }
  Result<std::string> ReadLink(const Path& path) override { return all_->ReadLink(path); }
  Status MakeDirectory(const Path& path, std::uint32_t permissions) override {
    return all_->MakeDirectory(path, permissions);
  }
  Status MakeSymlink(const std::string& target, const Path& path) override {
    return all_->MakeSymlink(target, path);
  }
  Status Rename(const Path& from, const Path& to) override { return all_->Rename(from, to); }
  Status Link(const Path& from, const Path& to) override { return all_->Link(from, to); }
  Status Unlink(const Path& path) override { return all_->Unlink(path); }
  Status RemoveDirectory(const Path& path) override { return all_->RemoveDirectory(path); }
  Status SetMode(const Path& path, std::uint32_t permissions) override {
    return all_->SetMode(path, permissions);
  }
  Status SetModifiedTime(const Path& path, WallTime time) override {
    return all_->SetModifiedTime(path, time);
  }

 private:
  const std::unique_ptr<FileSystem> all_;
  const std::uint32_t user_;
};

}  // namespace

Result<ProgramFiles> ProgramFiles::Open(FileSystem& fs, const Path& folder,
                                        std::optional<std::uint32_t> user) {
  KINETIC_ASSIGN_OR_RETURN(auto files, fs.OpenConfined(folder));
  if (user) files = std::make_unique<ReadableFiles>(std::move(files), *user);
  return ProgramFiles(std::move(files), user);
}

bool ProgramFiles::MayRead(const FileStatus& status) const {
  return !user_ || MayAccess(status, *user_, kOthersMayRead);
}

}  // namespace kinetic::local
