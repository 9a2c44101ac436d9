#pragma once

#include "kinetic/result.h"

#include "base/clock.h"
#include "base/unique_fd.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

using Path = std::filesystem::path;

enum class FileType : std::uint8_t { kRegular, kDirectory, kSymlink, kOther };

/// What lstat or fstat says of a file.
struct FileStatus {
  FileType type = FileType::kOther;
  std::uint32_t mode = 0;  ///< permission bits, 07777 at most
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;  ///< since 1970
  std::int64_t ctime_ns = 0;
  std::int64_t birth_ns = 0;  ///< 0 where the file system does not keep it
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint32_t owner = 0;  ///< uid
  std::uint64_t links = 0;
};

struct DirectoryEntry {
  std::string name;  ///< bytes as the file system has them, not necessarily UTF-8
  FileType type = FileType::kOther;
};

/// How a file is opened.
enum class OpenMode : std::uint8_t {
  kRead,       ///< must exist
  kCreateNew,  ///< must not exist; for writing
  kTruncate,   ///< made or emptied; for writing
  kAppend,     ///< made if absent; writes go to its end
  kReadWrite,  ///< made if absent
};

/// The operations of the file system that can fail on a bad day, so that tests can make them fail.
///
/// All paths may hold any bytes but NUL. Interrupted calls are taken up again, short writes are
/// completed. No operation follows a symbolic link in its last component but Open.
///
/// @errors   kNotFound (ENOENT, ENOTDIR) · kAlreadyExists · kPermissionDenied (EACCES, EPERM,
/// EROFS) ·
///           kResourceExhausted (ENOSPC, EDQUOT, EMFILE, ENFILE) · kUnavailable (EIO and all else);
///           each names the operation, the path and the cause, and has the detail "errno".
/// @threads  safe to call concurrently.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<UniqueFd> Open(const Path& path, OpenMode mode, std::uint32_t permissions) = 0;
  /// Reads up to `buffer.size()` bytes; 0 at the end.
  virtual Result<std::size_t> Read(int fd, std::span<char> buffer) = 0;
  virtual Result<std::size_t> ReadAt(int fd, std::span<char> buffer, std::uint64_t offset) = 0;
  /// Writes all of `bytes`.
  virtual Status Write(int fd, std::string_view bytes) = 0;
  virtual Status WriteAt(int fd, std::string_view bytes, std::uint64_t offset) = 0;
  virtual Status Truncate(int fd, std::uint64_t size_bytes) = 0;
  /// Forces a file's content, or a folder's entries, to the disk.
  virtual Status Sync(int fd) = 0;
  virtual Result<FileStatus> StatusOf(int fd) = 0;

  virtual Result<FileStatus> Lstat(const Path& path) = 0;
  /// Lstat of several entries of one folder, at less cost than one by one; nothing for those that
  /// are not there. In the order of `names`.
  virtual Result<std::vector<std::optional<FileStatus>>> LstatAll(
      const Path& directory, std::span<const std::string> names);
  /// All entries but "." and "..", in no order.
  virtual Result<std::vector<DirectoryEntry>> ReadDirectory(const Path& path) = 0;
  virtual Result<std::string> ReadLink(const Path& path) = 0;

  virtual Status MakeDirectory(const Path& path, std::uint32_t permissions) = 0;
  virtual Status MakeSymlink(const std::string& target, const Path& path) = 0;
  /// Replaces `to` atomically.
  virtual Status Rename(const Path& from, const Path& to) = 0;
  /// Makes `to` a second name of the file; kAlreadyExists when `to` is there.
  virtual Status Link(const Path& from, const Path& to) = 0;
  virtual Status Unlink(const Path& path) = 0;
  virtual Status RemoveDirectory(const Path& path) = 0;
  virtual Status SetMode(const Path& path, std::uint32_t permissions) = 0;
  virtual Status SetModifiedTime(const Path& path, WallTime time) = 0;
};

/// The machine's file system; lives as long as the program.
FileSystem& PosixFileSystem();

/// The Error for a failed system call: "opening /x: no such file or directory".
Error ErrnoError(int error_number, std::string_view operation, const Path& path);

/// The whole of a file; kResourceExhausted when it is larger than `limit_bytes`.
Result<std::string> ReadFile(FileSystem& fs, const Path& path, std::uint64_t limit_bytes);

/// Writes a temporary file beside `path`, forces it to the disk and renames it: readers see the old
/// content or the new one, also after a crash.
Status WriteFileAtomically(FileSystem& fs, const Path& path, std::string_view bytes,
                           std::uint32_t permissions = 0644);

/// Makes `path` and its missing parents.
Status MakeDirectories(FileSystem& fs, const Path& path, std::uint32_t permissions = 0777);

/// Removes a file or a folder with all that is in it; links are removed, not followed. Absence is
/// success. Folders without permissions are given them first.
Status RemoveTree(FileSystem& fs, const Path& path);

/// Removes what is in a folder and was last changed before that. An absent folder is empty.
Status RemoveOlder(FileSystem& fs, const Path& folder, WallTime before);

/// Forces the entries of a folder to the disk.
Status SyncDirectory(FileSystem& fs, const Path& path);

}  // namespace kinetic
