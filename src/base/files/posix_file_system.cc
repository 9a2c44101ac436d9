#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "base/never_destroyed.h"
#include "base/strings.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

namespace kinetic {
namespace {

/// Calls again what a signal interrupted.
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

/// Returns the file of a descriptor, for messages.
Path PathOf(int fd) {
  std::error_code failed;
  Path path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), failed);
  return failed ? Path("descriptor " + std::to_string(fd)) : path;
}

/// Returns the error of a failed system call on a descriptor.
Failure FdFailure(std::string_view operation, int fd) {
  const int error_number = errno;
  return Failure(ErrnoError(error_number, operation, PathOf(fd)));
}

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
    case OpenMode::kReadWithoutWaiting:
      return O_RDONLY | O_NONBLOCK | O_NOCTTY;
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

FileType TypeOfEntry(const struct dirent& entry, int folder) {
  switch (entry.d_type) {
    case DT_REG:
      return FileType::kRegular;
    case DT_DIR:
      return FileType::kDirectory;
    case DT_LNK:
      return FileType::kSymlink;
    case DT_UNKNOWN:
      break;  // some file systems do not report types
    default:
      return FileType::kOther;
  }
  const auto status = Statx(folder, entry.d_name, AT_SYMLINK_NOFOLLOW, entry.d_name);
  return status ? status->type : FileType::kOther;
}

/// The arguments of the system calls that end in "at": an open folder and a path relative to it.
struct Place {
  UniqueFd opened;
  std::string path;

  int folder() const { return opened ? opened.get() : AT_FDCWD; }
  const char* name() const { return path.c_str(); }
};

Failure LinkFailure(std::string_view operation, const Path& path) {
  return Fail(ErrorCode::kFailedPrecondition,
              std::string(operation) + " " + Printable(path.native()) +
                  ": it is a symbolic link, or is reached through one",
              "remove the link: kinetic does not create links there, so another program did");
}

class Posix final : public FileSystem {
 public:
  explicit Posix(bool flushes) : flushes_(flushes) {}
  /// @param held  `root`, if it was opened once; otherwise each operation opens it.
  Posix(Path root, UniqueFd held, bool flushes)
      : root_(std::move(root)), held_(std::move(held)), flushes_(flushes) {}

  std::unique_ptr<FileSystem> Confined(const Path& root) override {
    return std::make_unique<Posix>(root, UniqueFd(), flushes_);
  }

  Result<std::unique_ptr<FileSystem>> OpenConfined(const Path& root) override {
    UniqueFd held(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!held) return Failure(ErrnoError(errno, "opening", root));
    return std::make_unique<Posix>(root, std::move(held), flushes_);
  }

  Result<UniqueFd> Open(const Path& path, OpenMode mode, std::uint32_t permissions) override {
    KINETIC_ASSIGN_OR_RETURN(const Place place, Find("opening", path));
    UniqueFd fd = OpenAt(place, FlagsOf(mode), permissions);
    if (!fd) return Failed("opening", path, place);
    return fd;
  }

  Result<std::size_t> Read(int fd, std::span<char> buffer) override {
    const auto count = Uninterrupted([&] { return ::read(fd, buffer.data(), buffer.size()); });
    if (count < 0) return FdFailure("reading", fd);
    return static_cast<std::size_t>(count);
  }

  Result<std::size_t> ReadAt(int fd, std::span<char> buffer, std::uint64_t offset) override {
    const auto count = Uninterrupted(
        [&] { return ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(offset)); });
    if (count < 0) return FdFailure("reading", fd);
    return static_cast<std::size_t>(count);
  }

  Status Write(int fd, std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto count = Uninterrupted([&] { return ::write(fd, bytes.data(), bytes.size()); });
      if (count < 0) return FdFailure("writing", fd);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
  }

  Status WriteAt(int fd, std::string_view bytes, std::uint64_t offset) override {
    while (!bytes.empty()) {
      const auto count = Uninterrupted(
          [&] { return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
      if (count < 0) return FdFailure("writing", fd);
      bytes.remove_prefix(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return {};
  }

  Status Truncate(int fd, std::uint64_t size_bytes) override {
    const auto resize = [&] { return ::ftruncate(fd, static_cast<off_t>(size_bytes)); };
    return Uninterrupted(resize) < 0 ? Status(FdFailure("resizing", fd)) : Status();
  }

  Status Sync(int fd) override {
    if (!flushes_) return {};
    const int flushed = Uninterrupted([&] { return ::fsync(fd); });
    return flushed < 0 ? Status(FdFailure("flushing", fd)) : Status();
  }

  Result<FileStatus> Fstat(int fd) override {
    struct statx raw{};
    if (::statx(fd, "", AT_EMPTY_PATH, kStatxFields, &raw) < 0)
      return FdFailure("reading the metadata of", fd);
    return FromStatx(raw);
  }

  Result<FileStatus> Lstat(const Path& path) override {
    KINETIC_ASSIGN_OR_RETURN(const Place place, Find("checking", path));
    return Statx(place.folder(), place.name(), AT_SYMLINK_NOFOLLOW, path);
  }

  Result<std::vector<std::optional<FileStatus>>> LstatAll(
      const Path& directory, std::span<const std::string> names) override {
    std::vector<std::optional<FileStatus>> all;
    if (names.empty()) return all;
    KINETIC_ASSIGN_OR_RETURN(const Place place, Find("opening", directory));
    const UniqueFd folder = OpenAt(place, O_PATH | O_DIRECTORY);
    if (!folder) return Failed("opening", directory, place);
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
    KINETIC_ASSIGN_OR_RETURN(const Place place, Find("listing", path));
    UniqueFd folder = OpenAt(place, O_RDONLY | O_DIRECTORY);
    if (!folder) return Failed("listing", path, place);
    const int fd = folder.get();
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(fd), ::closedir);
    if (!directory) return Failure(ErrnoError(errno, "listing", path));
    (void)folder.Release();  // closedir closes it
    std::vector<DirectoryEntry> entries;
    for (;;) {
      errno = 0;
      const struct dirent* entry = ::readdir(directory.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") {
        entries.push_back({std::string(name), TypeOfEntry(*entry, fd)});
      }
    }
    if (errno != 0) return Failure(ErrnoError(errno, "listing", path));
    return entries;
  }

  Result<std::string> ReadLink(const Path& path) override {
    KINETIC_ASSIGN_OR_RETURN(const Place place, Find("reading the link", path));
    std::string target(4096, '\0');
    const auto length = ::readlinkat(place.folder(), place.name(), target.data(), target.size());
    if (length < 0) return Failure(ErrnoError(errno, "reading the link", path));
    target.resize(static_cast<std::size_t>(length));
    return target;
  }

  Status MakeDirectory(const Path& path, std::uint32_t permissions) override {
    return At("creating the folder", path, [&](const Place& place) {
      return ::mkdirat(place.folder(), place.name(), permissions);
    });
  }
  Status MakeSymlink(const std::string& target, const Path& path) override {
    return At("creating the link", path, [&](const Place& place) {
      return ::symlinkat(target.c_str(), place.folder(), place.name());
    });
  }
  Status Rename(const Path& from, const Path& to) override {
    KINETIC_ASSIGN_OR_RETURN(const Place source, Find("renaming", from));
    return At("renaming to", to, [&](const Place& place) {
      return ::renameat(source.folder(), source.name(), place.folder(), place.name());
    });
  }
  Status Link(const Path& from, const Path& to) override {
    KINETIC_ASSIGN_OR_RETURN(const Place source, Find("linking", from));
    return At("creating", to, [&](const Place& place) {
      return ::linkat(source.folder(), source.name(), place.folder(), place.name(), 0);
    });
  }
  Status Unlink(const Path& path) override {
    return At("removing", path,
              [](const Place& place) { return ::unlinkat(place.folder(), place.name(), 0); });
  }
  Status RemoveDirectory(const Path& path) override {
    return At("removing the folder", path, [](const Place& place) {
      return ::unlinkat(place.folder(), place.name(), AT_REMOVEDIR);
    });
  }
  Status SetMode(const Path& path, std::uint32_t permissions) override {
    return At("changing the mode of", path, [&](const Place& place) {
      const int flags = place.opened ? AT_SYMLINK_NOFOLLOW : 0;
      return ::fchmodat(place.folder(), place.name(), permissions, flags);
    });
  }

  Status SetModifiedTime(const Path& path, WallTime time) override {
    const auto nanos =
        std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
    const struct timespec times[2] = {
        {.tv_sec = 0, .tv_nsec = UTIME_OMIT},
        {.tv_sec = nanos / 1'000'000'000, .tv_nsec = nanos % 1'000'000'000}};
    return At("setting the time of", path, [&](const Place& place) {
      return ::utimensat(place.folder(), place.name(), times, AT_SYMLINK_NOFOLLOW);
    });
  }

 private:
  /// Opens a place; below the root of a confined file system without following a link.
  static UniqueFd OpenAt(const Place& place, int flags, std::uint32_t permissions = 0) {
    // Others may put a pipe there: opening one without O_NONBLOCK waits for its other end.
    const int confined = place.opened ? O_NOFOLLOW | O_NONBLOCK | O_NOCTTY : 0;
    return UniqueFd(Uninterrupted([&] {
      return ::openat(place.folder(), place.name(), flags | confined | O_CLOEXEC, permissions);
    }));
  }

  /// Returns the error of a failed openat.
  static Failure Failed(std::string_view operation, const Path& path, const Place& place) {
    const int error_number = errno;
    struct statx raw{};
    const bool is_link =
        place.opened &&
        ::statx(place.folder(), place.name(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &raw) == 0 &&
        S_ISLNK(raw.stx_mode);
    if (is_link) return LinkFailure(operation, path);
    return Failure(ErrnoError(error_number, operation, path));
  }

  template <typename Call>
  Status At(std::string_view operation, const Path& path, Call call) const {
    KINETIC_ASSIGN_OR_RETURN(const Place place, Find(operation, path));
    return Check(call(place), operation, path);
  }

  Result<UniqueFd> OpenRoot(std::string_view operation, const Path& path) const {
    const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    UniqueFd root(held_ ? ::openat(held_.get(), ".", flags) : ::open(root_.c_str(), flags));
    if (!root) return Failure(ErrnoError(errno, operation, path));
    return root;
  }

  /// Opens the folder of `path`. In a confined file system, opens each folder on the way from the
  /// root, so that a link which replaces one of them at any time is an error.
  Result<Place> Find(std::string_view operation, const Path& path) const {
    // The system would see only what precedes it, such as "..".
    if (path.native().find('\0') != std::string::npos) {
      return Fail(ErrorCode::kInvalidArgument, std::string(operation) + " " +
                                                   Printable(path.native()) +
                                                   ": the path contains a NUL byte");
    }
    if (root_.empty()) return Place{{}, path.native()};
    std::string_view rest = path.native();
    if (!rest.starts_with(root_.native())) return OutsideRoot(operation, path);
    rest.remove_prefix(root_.native().size());
    if (!rest.empty() && !rest.starts_with('/')) return OutsideRoot(operation, path);
    KINETIC_ASSIGN_OR_RETURN(UniqueFd folder, OpenRoot(operation, path));
    Place place{std::move(folder), "."};
    for (const std::string_view part : Split(rest, '/')) {
      if (part.empty() || part == ".") continue;
      if (part == "..") return OutsideRoot(operation, path);
      if (place.path != ".") {
        UniqueFd next = OpenAt(place, O_PATH | O_DIRECTORY);
        if (!next) return Failed(operation, path, place);
        place.opened = std::move(next);
      }
      place.path = part;
    }
    return place;
  }

  Failure OutsideRoot(std::string_view operation, const Path& path) const {
    return Fail(ErrorCode::kInternal, std::string(operation) + " " + Printable(path.native()) +
                                          ": it is not in " + Printable(root_.native()));
  }

  const Path root_;      ///< empty: not confined
  const UniqueFd held_;  ///< the root, if it was opened once
  const bool flushes_;   ///< whether Sync has an effect
};

}  // namespace

FileSystem& PosixFileSystem() {
  static auto& posix = NeverDestroyed<Posix>(true);
  return posix;
}

FileSystem& UnflushedFileSystem() {
  static auto& posix = NeverDestroyed<Posix>(false);
  return posix;
}

}  // namespace kinetic
