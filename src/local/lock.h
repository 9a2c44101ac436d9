#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <optional>

namespace kinetic::local {

/// An exclusive lock on a file (flock), held until the object goes or the process ends.
class FileLock {
 public:
  /// Takes the lock, making the file. Nothing: somebody else holds it.
  static Result<std::optional<FileLock>> Try(FileSystem& fs, const Path& file);
  /// Takes the lock, waiting for whoever holds it; for locks that are held for moments.
  static Result<FileLock> Take(FileSystem& fs, const Path& file);
  /// Whether somebody holds the lock; false when the file is absent. Changes nothing.
  static Result<bool> IsHeld(FileSystem& fs, const Path& file);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace kinetic::local
