#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <string>
#include <vector>

namespace kinetic::local {

/// A file or folder that a program sees at an absolute path.
struct Mount {
  Path source;  ///< exists
  Path target;
};

/// A folder that a program sees with the content of another one. Only what the program changes is
/// in the folder itself (overlayfs).
struct Overlay {
  Path content;  ///< is not changed, whatever the program does
  Path folder;   ///< exists, empty
  Path scratch;  ///< exists, empty, on the same file system as `folder`
};

/// Checks that this process may create mounts for a program, as root or in a user namespace. On
/// this machine, each target must exist, or the first folder of its path must be absent.
///
/// @errors  kFailedPrecondition.
Status CheckMounts(FileSystem& fs, const std::vector<Path>& targets);

/// Returns whether an overlay can be expressed as options of a mount.
bool CanMount(const Overlay& overlay);

/// The mounts of one program, which no other process sees: its own mount namespace, and its own
/// root if the machine lacks the first folder of a target.
class PrivateMounts {
 public:
  PrivateMounts() = default;

  /// Plans the system calls.
  ///
  /// @param overlays  created before the mounts, whose sources may be in them.
  /// @param root      an existing folder, which may become the new root.
  /// @errors  kFailedPrecondition: as CheckMounts · errors of FileSystem.
  static Result<PrivateMounts> Make(FileSystem& fs, const std::vector<Overlay>& overlays,
                                    const std::vector<Mount>& mounts, const Path& root);

  /// Returns why a child of this process cannot have these mounts, as an errno, or 0.
  int Try() const;

  /// Moves the calling process to a new namespace with the mounts. Returns 0 or errno.
  ///
  /// @threads  call in a new child between fork and exec: it does not allocate memory.
  int Enter() const;

 private:
  struct Step {
    enum class Kind { kTmpfs, kFolder, kFile, kLink, kBind, kOverlay, kRoot };
    Kind kind;
    std::string path;
    std::string source = {};  ///< of a bind mount; the target of a link; options of an overlay
  };
  void AddOverlay(const Overlay& overlay);
  void AddRoot(const std::vector<DirectoryEntry>& entries, const Path& root);
  void AddParents(const Path& root, const Path& target);
  static int Execute(const Step& step);

  std::vector<Step> steps_;
  bool needs_own_rights_ = false;  ///< not in a user namespace
  std::string user_map_, group_map_;
  std::string deny_ = "deny";
};

}  // namespace kinetic::local
