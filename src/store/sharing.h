#pragma once

#include "base/file_system.h"

namespace kinetic::store {

/// A store whose root folder its group may write is shared by the users of that group: whatever the
/// umask of whoever makes them, its folders get the root's mode and its files can be read by all
/// who may read the root. In other stores the umask decides.
class Sharing {
 public:
  static Sharing Of(FileSystem& fs, const Path& root);

  /// Makes a folder directly below the root, unless it is there; another user may be making it,
  /// too. The root itself is nobody's to make again: when it is gone, its disk may be somewhere
  /// else.
  /// @errors  kNotFound: the root is gone.
  Status MakeFolder(FileSystem& fs, const Path& folder) const;

  /// Called for what this process has just made.
  Status OnFolder(FileSystem& fs, const Path& folder) const;
  Status OnFile(FileSystem& fs, const Path& file) const;

 private:
  std::uint32_t mode_ = 0;  ///< the root's when it is shared
};

}  // namespace kinetic::store
