#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "bundle/ignore/scope.h"
#include "bundle/source/problem.h"
#include "bundle/source/walked_tree.h"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace kinetic::bundle {

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

}  // namespace kinetic::bundle
