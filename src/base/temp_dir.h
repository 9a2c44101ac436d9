#pragma once

#include "base/file_system.h"

namespace kinetic {

/// A new folder, 0700, removed with its content when the object goes.
class TempDir {
 public:
  /// Makes `parent`/`prefix`XXXXXX.
  static Result<TempDir> Make(FileSystem& fs, const Path& parent, std::string_view prefix);

  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&&) = delete;
  ~TempDir();

  const Path& path() const { return path_; }
  /// Gives the folder to the caller, for example after it was renamed into place.
  Path Release();

 private:
  TempDir(FileSystem& fs, Path path) : fs_(&fs), path_(std::move(path)) {}
  FileSystem* fs_;
  Path path_;
};

}  // namespace kinetic
