#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "bundle/ignore/rules.h"

#include <memory>
#include <string_view>

namespace kinetic::bundle {

/// The ignore files that apply to a folder: its own and, through `parent`, those of the folders
/// above. Folders without ignore files share the scope of their parent.
struct IgnoreScope {
  std::shared_ptr<const IgnoreScope> parent;
  std::size_t base_length = 0;  ///< of the folder's path, including the trailing '/'
  IgnoreRules git;              ///< .gitignore
  IgnoreRules kinetic;          ///< .kineticignore
  IgnoreRules exclude;          ///< info/exclude, if the folder is the top of a repository
};

/// Applies `exclude`, all ignore files and the default excludes, in order of precedence.
class IgnoreFilter {
 public:
  /// @param exclude        the rules of the job, relative to the root.
  /// @param defaults       the built-in rules, or null.
  /// @param prefix_length  of the root's path below the repository's top folder, including the
  ///                       trailing '/'.
  IgnoreFilter(IgnoreRules exclude, const IgnoreRules* defaults, std::size_t prefix_length);

  /// Returns whether an entry is excluded. Its parent folder must not be excluded.
  ///
  /// @param path  relative to the repository's top folder, or to the root outside of a repository.
  bool Excludes(const IgnoreScope* scope, std::string_view path, bool is_folder) const;

 private:
  IgnoreRules exclude_;
  const IgnoreRules* defaults_;
  std::size_t prefix_length_;
};

/// Reads an ignore file. Returns no rules if it does not exist.
///
/// @errors  kResourceExhausted (larger than 16 MiB) · those of FileSystem.
Result<IgnoreRules> ReadIgnoreFile(FileSystem& fs, const Path& path);

/// Reads the ignore files of git from the repository's top folder to the root's parent. Returns null
/// if there are none.
Result<std::shared_ptr<const IgnoreScope>> ReadScopesAbove(FileSystem& fs, const Path& repository,
                                                           const Path& root);

/// Reads the info/exclude of a repository. Returns no rules if the folder is not the top folder of
/// one. Supports linked worktrees and submodules.
Result<IgnoreRules> ReadInfoExclude(FileSystem& fs, const Path& repository);

}  // namespace kinetic::bundle
