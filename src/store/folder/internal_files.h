#pragma once

#include "base/files/file_system.h"

#include <cstdint>
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

  /// Creates a folder directly below the root unless it exists. Never creates the root: if it is
  /// missing, its disk may not be mounted.
  ///
  /// @errors  kNotFound: the root is missing.
  Status MakeFolder(FileSystem& fs, const Path& folder) const;

  /// Sets the mode of a folder or file that this process has just created.
  Status ApplyToFolder(FileSystem& fs, const Path& folder) const;
  Status ApplyToFile(FileSystem& fs, const Path& file) const;

 private:
  std::uint32_t mode_ = 0;  ///< the root's mode if the store is shared
};

/// A file that is written in a temporary folder. It is removed on destruction unless it was
/// renamed.
class TemporaryFile {
 public:
  /// Creates a file in `folder`, and the folder if it is missing.
  static Result<TemporaryFile> Create(FileSystem& fs, const Path& folder);

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  Status Write(std::string_view bytes) { return fs_->Write(fd_.get(), bytes); }
  /// Sets the modification time and flushes the file to the disk.
  Status Finish(WallTime modified);
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
};

/// Serializes the read-modify-write operations on an object across processes. Objects share 64 lock
/// files.
class FolderLock {
 public:
  /// Waits for the lock of object `name` in the store at `root`. Held until destruction.
  ///
  /// @errors  kCancelled, and those of FileSystem.
  static Result<FolderLock> Acquire(FileSystem& fs, const Path& root, std::string_view name,
                                    const std::stop_token& stop);

 private:
  explicit FolderLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace kinetic::store
