#pragma once

#include "base/files/file_system.h"

namespace kinetic {

/// A new folder with mode 0700. The destructor removes it with its content.
class TempDir {
 public:
  /// Creates a folder in `parent` whose name starts with `prefix`.
  static Result<TempDir> Make(FileSystem& fs, const Path& parent, std::string_view prefix);

  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&&) = delete;
  ~TempDir();

  const Path& path() const { return path_; }
  /// Returns the path and keeps the folder, for example after it was renamed into place.
  Path Release();

 private:
  TempDir(FileSystem& fs, Path path) : fs_(&fs), path_(std::move(path)) {}
  FileSystem* fs_;
  Path path_;
};

}  // namespace kinetic
