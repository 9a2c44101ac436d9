#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <optional>
#include <string_view>

namespace kinetic::local {

/// An exclusive lock on a file (flock). The destructor and the end of the process release it.
class FileLock {
 public:
  /// Takes the lock and creates the file if needed. Returns nullopt if another process holds it.
  static Result<std::optional<FileLock>> Try(FileSystem& fs, const Path& file);
  /// Waits for the lock. For locks that are held only briefly.
  static Result<FileLock> Take(FileSystem& fs, const Path& file);
  /// Returns whether the lock is held; false if the file does not exist.
  static Result<bool> IsHeld(FileSystem& fs, const Path& file);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

/// Replaces a file that has one writer. Readers see the old or the new content. The write is not
/// synced, so a crash of the machine may lose both.
Status ReplaceFile(FileSystem& fs, const Path& path, std::string_view bytes,
                   std::uint32_t permissions);

}  // namespace kinetic::local
