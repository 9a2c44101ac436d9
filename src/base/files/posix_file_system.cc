#include "base/files/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace kinetic {
namespace {

/// Repeats a call that a signal interrupted.
template <typename Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

Status Check(int result, std::string_view operation, const Path& path) {
  if (result < 0) return Failure(ErrnoError(errno, operation, path));
  return {};
}

Path PathOf(int fd) { return {"/proc/self/fd/" + std::to_string(fd)}; }

FileType TypeOf(mode_t mode) {
  if (S_ISREG(mode)) return FileType::kRegular;
  if (S_ISDIR(mode)) return FileType::kDirectory;
  if (S_ISLNK(mode)) return FileType::kSymlink;
  return FileType::kOther;
}

std::int64_t Nanos(const struct statx_timestamp& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

constexpr unsigned kStatxFields = STATX_BASIC_STATS | STATX_BTIME;

FileStatus FromStatx(const struct statx& raw) {
  return {.type = TypeOf(raw.stx_mode),
          .mode = raw.stx_mode & 07777U,
          .size_bytes = raw.stx_size,
          .mtime_ns = Nanos(raw.stx_mtime),
          .ctime_ns = Nanos(raw.stx_ctime),
          .birth_ns = (raw.stx_mask & STATX_BTIME) != 0 ? Nanos(raw.stx_btime) : 0,
          .device = makedev(raw.stx_dev_major, raw.stx_dev_minor),
          .inode = raw.stx_ino,
          .owner = raw.stx_uid,
          .links = raw.stx_nlink};
}

Result<FileStatus> Statx(int fd, const char* path, int flags, const Path& shown) {
  struct statx raw{};
  if (::statx(fd, path, flags, kStatxFields, &raw) < 0) {
    return Failure(ErrnoError(errno, "checking", shown));
  }
  return FromStatx(raw);
}

int FlagsOf(OpenMode mode) {
  switch (mode) {
    case OpenMode::kRead:
      return O_RDONLY;
    case OpenMode::kCreateNew:
      return O_WRONLY | O_CREAT | O_EXCL;
    case OpenMode::kTruncate:
      return O_WRONLY | O_CREAT | O_TRUNC;
    case OpenMode::kAppend:
      return O_WRONLY | O_CREAT | O_APPEND;
    case OpenMode::kReadWrite:
      return O_RDWR | O_CREAT;
  }
  return O_RDONLY;
}

FileType TypeOfEntry(const struct dirent& entry, const Path& directory) {
  switch (entry.d_type) {
    case DT_REG:
      return FileType::kRegular;
    case DT_DIR:
      return FileType::kDirectory;
    case DT_LNK:
      return FileType::kSymlink;
    case DT_UNKNOWN:
      break;  // some file systems do not report the type
    default:
      return FileType::kOther;
  }
  const Path path = directory / entry.d_name;
  const auto status = Statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, path);
  return status ? status->type : FileType::kOther;
}

class Posix final : public FileSystem {
 public:
  Result<UniqueFd> Open(const Path& path, OpenMode mode, std::uint32_t permissions) override {
    UniqueFd fd(Uninterrupted(
        [&] { return ::open(path.c_str(), FlagsOf(mode) | O_CLOEXEC, permissions); }));
    if (!fd) return Failure(ErrnoError(errno, "opening", path));
    return fd;
  }

  Result<std::size_t> Read(int fd, std::span<char> buffer) override {
    const auto count = Uninterrupted([&] { return ::read(fd, buffer.data(), buffer.size()); });
    if (count < 0) return Failure(ErrnoError(errno, "reading", PathOf(fd)));
    return static_cast<std::size_t>(count);
  }

  Result<std::size_t> ReadAt(int fd, std::span<char> buffer, std::uint64_t offset) override {
    const auto count = Uninterrupted(
        [&] { return ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(offset)); });
    if (count < 0) return Failure(ErrnoError(errno, "reading", PathOf(fd)));
    return static_cast<std::size_t>(count);
  }

  Status Write(int fd, std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto count = Uninterrupted([&] { return ::write(fd, bytes.data(), bytes.size()); });
      if (count < 0) return Failure(ErrnoError(errno, "writing", PathOf(fd)));
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
  }

  Status WriteAt(int fd, std::string_view bytes, std::uint64_t offset) override {
    while (!bytes.empty()) {
      const auto count = Uninterrupted(
          [&] { return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
      if (count < 0) return Failure(ErrnoError(errno, "writing", PathOf(fd)));
      bytes.remove_prefix(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return {};
  }

  Status Truncate(int fd, std::uint64_t size_bytes) override {
    return Check(Uninterrupted([&] { return ::ftruncate(fd, static_cast<off_t>(size_bytes)); }),
                 "resizing", PathOf(fd));
  }

  Status Sync(int fd) override {
    return Check(Uninterrupted([&] { return ::fsync(fd); }), "flushing", PathOf(fd));
  }

  Result<FileStatus> Fstat(int fd) override { return Statx(fd, "", AT_EMPTY_PATH, PathOf(fd)); }

  Result<FileStatus> Lstat(const Path& path) override {
    return Statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, path);
  }

  Result<std::vector<std::optional<FileStatus>>> LstatAll(
      const Path& directory, std::span<const std::string> names) override {
    std::vector<std::optional<FileStatus>> all;
    if (names.empty()) return all;
    const UniqueFd folder(
        Uninterrupted([&] { return ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); }));
    if (!folder) return Failure(ErrnoError(errno, "opening", directory));
    all.reserve(names.size());
    for (const std::string& name : names) {
      struct statx raw{};
      if (::statx(folder.get(), name.c_str(), AT_SYMLINK_NOFOLLOW, kStatxFields, &raw) == 0) {
        all.emplace_back(FromStatx(raw));
      } else if (errno == ENOENT) {
        all.emplace_back();
      } else {
        return Failure(ErrnoError(errno, "checking", directory / name));
      }
    }
    return all;
  }

  Result<std::vector<DirectoryEntry>> ReadDirectory(const Path& path) override {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
    if (!directory) return Failure(ErrnoError(errno, "listing", path));
    std::vector<DirectoryEntry> entries;
    for (;;) {
      errno = 0;
      const struct dirent* entry = ::readdir(directory.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") {
        entries.push_back({std::string(name), TypeOfEntry(*entry, path)});
      }
    }
    if (errno != 0) return Failure(ErrnoError(errno, "listing", path));
    return entries;
  }

  Result<std::string> ReadLink(const Path& path) override {
    std::string target(4096, '\0');
    const auto length = ::readlink(path.c_str(), target.data(), target.size());
    if (length < 0) return Failure(ErrnoError(errno, "reading the link", path));
    target.resize(static_cast<std::size_t>(length));
    return target;
  }

  Status MakeDirectory(const Path& path, std::uint32_t permissions) override {
    return Check(::mkdir(path.c_str(), permissions), "creating the folder", path);
  }
  Status MakeSymlink(const std::string& target, const Path& path) override {
    return Check(::symlink(target.c_str(), path.c_str()), "creating the link", path);
  }
  Status Rename(const Path& from, const Path& to) override {
    return Check(::rename(from.c_str(), to.c_str()), "renaming to", to);
  }
  Status Link(const Path& from, const Path& to) override {
    return Check(::link(from.c_str(), to.c_str()), "creating", to);
  }
  Status Unlink(const Path& path) override {
    return Check(::unlink(path.c_str()), "removing", path);
  }
  Status RemoveDirectory(const Path& path) override {
    return Check(::rmdir(path.c_str()), "removing the folder", path);
  }
  Status SetMode(const Path& path, std::uint32_t permissions) override {
    return Check(::chmod(path.c_str(), permissions), "changing the mode of", path);
  }

  Status SetModifiedTime(const Path& path, WallTime time) override {
    const auto nanos =
        std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
    const struct timespec times[2] = {
        {.tv_sec = 0, .tv_nsec = UTIME_OMIT},
        {.tv_sec = nanos / 1'000'000'000, .tv_nsec = nanos % 1'000'000'000}};
    return Check(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW),
                 "setting the time of", path);
  }
};

}  // namespace

FileSystem& PosixFileSystem() {
  static Posix posix;
  return posix;
}

}  // namespace kinetic
