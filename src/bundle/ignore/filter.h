#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "bundle/ignore/rules.h"

#include <memory>
#include <string_view>

namespace kinetic::bundle {

/// The ignore files that count in a folder: its own and, through `parent`, those of the folders
/// above. Folders without any share the scope of the folder above.
struct IgnoreScope {
  std::shared_ptr<const IgnoreScope> parent;
  std::size_t base_length = 0;  ///< of the folder's path with its '/', as in Decide
  IgnoreRules git;              ///< .gitignore
  IgnoreRules kinetic;          ///< .kineticignore
};

/// Decides what travels: all ignore files, `exclude` and the default excludes in their order.
class IgnoreDecision {
 public:
  /// @param exclude   the rules of the job, at the root.
  /// @param defaults  the built-in ones, or null.
  /// @param prefix_length  of the root's path, with its '/', below the repository's top folder.
  IgnoreDecision(IgnoreRules exclude, IgnoreRules info_exclude, const IgnoreRules* defaults,
                 std::size_t prefix_length);

  /// Whether something does not travel. The folder it is in does.
  ///
  /// @param path  relative to the top folder of the repository, or to the root without one.
  bool Excludes(const IgnoreScope* scope, std::string_view path, bool is_folder) const;

 private:
  IgnoreRules exclude_;
  IgnoreRules info_exclude_;
  const IgnoreRules* defaults_;
  std::size_t prefix_length_;
};

/// Reads an ignore file; empty when it is absent.
///
/// @errors  kResourceExhausted (larger than 16 MiB) · those of FileSystem.
Result<IgnoreRules> ReadIgnoreFile(FileSystem& fs, const Path& path);

/// The .gitignore files of the folders from the top of the repository down to, and without, the
/// root. Null when there are none.
Result<std::shared_ptr<const IgnoreScope>> ReadScopesAbove(FileSystem& fs, const Path& repository,
                                                           const Path& root);

/// The repository's own info/exclude, also of a linked worktree or a submodule.
Result<IgnoreRules> ReadInfoExclude(FileSystem& fs, const Path& repository);

}  // namespace kinetic::bundle
