#pragma once

#include "base/file_system.h"

#include <string_view>

namespace kinetic::store {

/// A file that is being written where nobody looks, removed unless it is moved away.
class TemporaryFile {
 public:
  /// Makes a file in `folder`, and the folder when it is absent.
  static Result<TemporaryFile> Make(FileSystem& fs, const Path& folder);

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  Status Write(std::string_view bytes) { return fs_->Write(fd_.get(), bytes); }
  /// Sets the time and forces all to the disk.
  Status Finish(WallTime modified);
  Result<FileStatus> Look() const { return fs_->StatusOf(fd_.get()); }

  const Path& path() const { return path_; }
  /// It is no longer there to be removed.
  void Moved() { path_.clear(); }

 private:
  TemporaryFile(FileSystem& fs, Path path, UniqueFd fd)
      : fs_(&fs), path_(std::move(path)), fd_(std::move(fd)) {}

  FileSystem* fs_;
  Path path_;
  UniqueFd fd_;
};

}  // namespace kinetic::store
