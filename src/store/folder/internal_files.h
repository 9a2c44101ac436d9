#pragma once

#include "base/files/file_lock.h"
#include "base/files/file_system.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>

/// The internal files of a folder store: temporary files in ".tmp", lock files in ".locks", and the
/// permissions of files in a shared store.
namespace kinetic::store {

/// The permissions of a store's files. A store is shared if its root folder is writable by its
/// group. Then, regardless of the umask, its folders get the root's mode, and its files are
/// readable by everyone who can read the root. In other stores the umask decides.
class SharedMode {
 public:
  static SharedMode Of(FileSystem& fs, const Path& root);

  /// Creates a folder directly below the root unless it exists, in place of anything else. Never
  /// creates the root: if it is missing, its disk may not be mounted.
  ///
  /// @errors  kNotFound: the root is missing.
  Status MakeFolder(FileSystem& fs, const Path& folder) const;

  /// Sets the mode of a folder or file that this process has just created.
  Status ApplyToFolder(FileSystem& fs, const Path& folder) const;
  Status ApplyToFile(FileSystem& fs, const Path& file) const;

 private:
  std::uint32_t mode_ = 0;  ///< the root's mode if the store is shared
};

/// Removes what is not an object from the name of one, without reading or following it. A folder
/// with content is moved to the temporary folder, or renamed if it is another user's.
Status Discard(FileSystem& fs, const Path& root, const Path& path, FileType type);

/// Returns whether Discard has renamed the folder with this path.
bool IsDiscarded(std::string_view folder);

/// A file that is written in a temporary folder. It is removed on destruction unless it was
/// renamed.
class TemporaryFile {
 public:
  /// Creates a file in `folder`, and the folder if it is missing.
  static Result<TemporaryFile> Create(FileSystem& fs, const Path& folder);

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  /// Appends bytes. Zeros become a hole, so that a sparse file stays one.
  Status Write(std::string_view bytes);
  /// Sets the size and the time of the file.
  ///
  /// @param modified  the modification time; nullopt: that of the last write.
  /// @param flush     whether to flush it to the disk.
  Status Finish(std::optional<WallTime> modified, bool flush = true);
  Result<FileStatus> Stat() const { return fs_->Fstat(fd_.get()); }
  /// Renames the file to `target`, replacing an existing file.
  Status RenameTo(const Path& target);

  const Path& path() const { return path_; }

 private:
  TemporaryFile(FileSystem& fs, Path path, UniqueFd fd)
      : fs_(&fs), path_(std::move(path)), fd_(std::move(fd)) {}

  FileSystem* fs_;
  Path path_;  ///< empty once the file was renamed or moved from
  UniqueFd fd_;
  std::uint64_t size_bytes_ = 0;
};

/// Waits for the lock that serializes the read-modify-write operations on object `name` in the
/// store at `root` across processes. Objects share 64 lock files.
///
/// @errors  kCancelled · kUnavailable · those of FileSystem.
Result<FileLock> LockObject(FileSystem& fs, const Path& root, std::string_view name,
                            const std::stop_token& stop);

}  // namespace kinetic::store
