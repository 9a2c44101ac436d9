#pragma once

#include "kinetic/error.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "bundle/ignore/filter.h"
#include "bundle/source/walk.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace kinetic::bundle {

/// One reason why a folder cannot travel. Several are reported together.
struct Problem {
  enum class Kind : std::uint8_t { kUnreadable, kLinkOut, kTooLong };
  Kind kind = Kind::kUnreadable;
  std::string text;  ///< "cannot read a/b: permission denied"
};

/// One error for all problems, of which the first ten are named.
///
/// @param problems  at least one.
Error ToError(std::vector<Problem> problems, std::string_view root);

/// One folder of a walk, and what was found in it.
struct Folder {
  Folder* parent = nullptr;
  std::string path;  ///< relative to the root, with a '/' at its end; empty for the root
  std::size_t depth = 0;
  std::shared_ptr<const IgnoreScope> scope;  ///< of the folder above, then its own

  bool vanished = false;
  std::vector<SourceEntry> entries;  ///< files and links, by name
  std::vector<std::string> warnings;
  std::vector<Problem> problems;
  std::vector<Folder*> folders;  ///< set by the walk, by name
};

/// What decides what travels.
struct WalkRules {
  const IgnoreDecision& decision;
  bool ignore_files = true;              ///< those in the folders count
  std::string prefix;                    ///< the root below the top of its repository, with a '/'
  std::unordered_set<std::string> skip;  ///< absolute paths that never travel
};

/// Reads folders and applies the ignore rules.
///
/// @threads  safe to call concurrently, on different folders.
class FolderReader {
 public:
  FolderReader(FileSystem& fs, std::string root, WalkRules rules);

  /// Fills in `folder`, and returns the names of the folders in it that travel, in order.
  ///
  /// @errors  kAborted (something changed its type meanwhile) · those of FileSystem but
  ///          kPermissionDenied, which is noted as a problem.
  Result<std::vector<std::string>> Read(Folder& folder) const;

 private:
  struct Listing;

  Status ReadScope(Folder& folder, const std::vector<DirectoryEntry>& entries) const;
  Status Sort(Folder& folder, std::vector<DirectoryEntry> entries, Listing& listing) const;
  Status AddLink(Folder& folder, const std::string& name) const;
  Status AddFiles(Folder& folder, const std::vector<std::string>& names) const;
  void CheckReadable(Folder& folder, const SourceEntry& entry) const;
  std::string Absolute(const Folder& folder) const;

  FileSystem& fs_;
  const std::string root_;
  const WalkRules rules_;
  const std::uint32_t user_;
};

/// Checks the symbolic links of a tree, and makes those relative that lead to a place inside the
/// root by way of one outside (an absolute path, say). A link to something that does not travel is
/// kept with a warning, one to nothing without.
///
/// @returns  a problem for each link that points out of the root.
/// @errors   those of FileSystem.
Result<std::vector<Problem>> CheckLinks(FileSystem& fs, SourceTree& tree);

}  // namespace kinetic::bundle
