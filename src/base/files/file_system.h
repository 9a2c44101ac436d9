#pragma once

#include "kinetic/result.h"

#include "base/files/unique_fd.h"
#include "base/time/clock.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

using Path = std::filesystem::path;

enum class FileType : std::uint8_t { kRegular, kDirectory, kSymlink, kOther };

/// The result of lstat or fstat.
struct FileStatus {
  FileType type = FileType::kOther;
  std::uint32_t mode = 0;  ///< permission bits, 07777 at most
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;  ///< since 1970
  std::int64_t ctime_ns = 0;
  std::int64_t birth_ns = 0;  ///< 0: not recorded by the file system
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint32_t owner = 0;  ///< uid
  std::uint64_t links = 0;

  WallTime ModifiedTime() const {
    return WallTime(
        std::chrono::duration_cast<WallTime::duration>(std::chrono::nanoseconds(mtime_ns)));
  }
};

struct DirectoryEntry {
  std::string name;  ///< bytes, not necessarily UTF-8
  FileType type = FileType::kOther;
};

enum class OpenMode : std::uint8_t {
  kRead,                ///< must exist
  kReadWithoutWaiting,  ///< same, but does not wait for the other end of a pipe
  kCreateNew,           ///< must not exist; for writing
  kTruncate,            ///< created or truncated; for writing
  kAppend,              ///< created if absent; writes append
  kReadWrite,           ///< created if absent
};

/// File system operations. Tests replace them to inject failures.
///
/// Interrupted calls are repeated and short writes are completed. Only Open follows a symbolic link
/// in the last component.
///
/// @errors   kNotFound (ENOENT, ENOTDIR) · kAlreadyExists · kPermissionDenied (EACCES, EPERM,
///           EROFS) · kResourceExhausted (ENOSPC, EDQUOT, EMFILE, ENFILE) · kUnavailable (EIO and
///           all else); each names the operation, the path and the cause, and has the detail
///           "errno".
/// @threads  safe to call concurrently.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// Returns the file system below `root`, for folders in which others can create links. It takes
  /// the same paths, but only those in `root`, and follows no symbolic link below `root`: an
  /// operation on a path through one fails with kFailedPrecondition. `root` itself may be reached
  /// through links. Each operation opens `root`, so that its disk can be unmounted.
  virtual std::unique_ptr<FileSystem> Confined(const Path& root) = 0;
  /// Like Confined, but opens `root` now and keeps it open: what replaces it later is not seen.
  virtual Result<std::unique_ptr<FileSystem>> OpenConfined(const Path& root) = 0;

  virtual Result<UniqueFd> Open(const Path& path, OpenMode mode, std::uint32_t permissions) = 0;
  /// Reads up to `buffer.size()` bytes; 0 at the end.
  virtual Result<std::size_t> Read(int fd, std::span<char> buffer) = 0;
  virtual Result<std::size_t> ReadAt(int fd, std::span<char> buffer, std::uint64_t offset) = 0;
  /// Writes all of `bytes`.
  virtual Status Write(int fd, std::string_view bytes) = 0;
  virtual Status WriteAt(int fd, std::string_view bytes, std::uint64_t offset) = 0;
  virtual Status Truncate(int fd, std::uint64_t size_bytes) = 0;
  /// Flushes a file, or the entries of a folder, to disk.
  virtual Status Sync(int fd) = 0;
  virtual Result<FileStatus> Fstat(int fd) = 0;

  virtual Result<FileStatus> Lstat(const Path& path) = 0;
  /// Calls lstat for several entries of one folder. Returns nullopt for those that do not exist, in
  /// the order of `names`.
  virtual Result<std::vector<std::optional<FileStatus>>> LstatAll(
      const Path& directory, std::span<const std::string> names);
  /// Returns all entries except "." and "..", in no order.
  virtual Result<std::vector<DirectoryEntry>> ReadDirectory(const Path& path) = 0;
  virtual Result<std::string> ReadLink(const Path& path) = 0;

  virtual Status MakeDirectory(const Path& path, std::uint32_t permissions) = 0;
  virtual Status MakeSymlink(const std::string& target, const Path& path) = 0;
  /// Replaces `to` atomically.
  virtual Status Rename(const Path& from, const Path& to) = 0;
  /// Creates the hard link `to`. Fails with kAlreadyExists if `to` exists.
  virtual Status Link(const Path& from, const Path& to) = 0;
  virtual Status Unlink(const Path& path) = 0;
  virtual Status RemoveDirectory(const Path& path) = 0;
  virtual Status SetMode(const Path& path, std::uint32_t permissions) = 0;
  virtual Status SetModifiedTime(const Path& path, WallTime time) = 0;
};

/// Returns the machine's file system. It lives as long as the program.
FileSystem& PosixFileSystem();

/// Returns the same without Sync, for files that are of no use after a crash of the machine.
FileSystem& UnflushedFileSystem();

/// Returns the error of a failed system call: "opening /x: no such file or directory".
Error ErrnoError(int error_number, std::string_view operation, const Path& path);

/// Returns whether an error means that a disk is full, or that the user's disk quota is used up.
bool IsDiskFull(const Error& error);

/// Returns whether an error means that this process or the machine has too many open files.
bool IsOpenFileLimit(const Error& error);

/// Reads a whole file. Fails with kResourceExhausted if it is larger than `limit_bytes`.
Result<std::string> ReadFile(FileSystem& fs, const Path& path, std::uint64_t limit_bytes);

/// Same as ReadFile, for a file that a user names. Also fails, without waiting, with
/// kInvalidArgument if it is not a regular file, such as a pipe or a terminal.
Result<std::string> ReadRegularFile(FileSystem& fs, const Path& path, std::uint64_t limit_bytes);

/// Writes a temporary file, flushes it to disk and renames it to `path`. Readers see either the old
/// or the new content, even after a crash.
Status WriteFileAtomically(FileSystem& fs, const Path& path, std::string_view bytes,
                           std::uint32_t permissions = 0644);

/// Creates `path` and its missing parents.
Status MakeDirectories(FileSystem& fs, const Path& path, std::uint32_t permissions = 0777);

/// Removes a file or a folder with its content, if it exists. Does not follow links. Adds missing
/// permissions to folders first.
Status RemoveTree(FileSystem& fs, const Path& path);

/// Removes the entries of a folder that were last modified before `before`. The folder need not
/// exist.
Status RemoveOlderThan(FileSystem& fs, const Path& folder, WallTime before);

/// Flushes the entries of a folder to disk.
Status SyncDirectory(FileSystem& fs, const Path& path);

}  // namespace kinetic
