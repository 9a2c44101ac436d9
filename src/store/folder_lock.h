#pragma once

#include "base/file_system.h"

#include <stop_token>
#include <string_view>

namespace kinetic::store {

/// Serialises, over all processes, those changes of an object that look before they change. Objects
/// share 64 lock files.
class FolderLock {
 public:
  /// Waits for the lock of the object `name` in the store at `root`. Held until destruction.
  ///
  /// @errors  kCancelled, and those of FileSystem.
  static Result<FolderLock> Take(FileSystem& fs, const Path& root, std::string_view name,
                                 const std::stop_token& stop);

 private:
  explicit FolderLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace kinetic::store
