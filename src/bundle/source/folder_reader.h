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

/// A reason why a folder cannot be bundled.
struct Problem {
  enum class Kind : std::uint8_t { kUnreadable, kEscapingLink, kTooLong };
  Kind kind = Kind::kUnreadable;
  std::string text;  ///< "cannot read a/b: permission denied"
};

/// Combines problems in one error that names the first ten.
///
/// @param problems  at least one.
/// @param options   of the walk; hints name what applies to it.
Error ToError(std::vector<Problem> problems, std::string_view root, const WalkOptions& options);

/// A folder of a walk and its entries.
struct Folder {
  Folder* parent = nullptr;
  std::string path;  ///< relative to the root, with a trailing '/'; empty for the root
  std::size_t depth = 0;
  std::shared_ptr<const IgnoreScope> scope;  ///< of the parent, until the folder is read

  bool vanished = false;
  std::vector<SourceEntry> entries;  ///< files and links, sorted by name
  std::vector<std::string> warnings;
  std::vector<Problem> problems;
  std::vector<Folder*> folders;  ///< set by Walk, sorted by name
  Path real;                     ///< without links; only if links are followed
};

/// Selects the entries of a walk.
struct WalkRules {
  const IgnoreFilter& filter;
  bool ignore_files = true;  ///< apply ignore files in the folders, exclude .git
  bool is_data = false;
  bool follow_links = false;
  std::string prefix;  ///< path of the root in its repository, with a trailing '/'
  std::unordered_set<std::string> skip;  ///< absolute paths to exclude
};

/// Reads folders and applies the ignore rules.
///
/// @threads  safe to call concurrently on different folders.
class FolderReader {
 public:
  FolderReader(FileSystem& fs, std::string root, WalkRules rules);

  /// Fills in `folder`. Returns the sorted names of the subfolders that are not excluded.
  ///
  /// @errors  those of FileSystem except kPermissionDenied, which is recorded as a problem.
  Result<std::vector<std::string>> Read(Folder& folder) const;

 private:
  struct Listing;

  Status ReadScope(Folder& folder, const std::vector<DirectoryEntry>& entries) const;
  Status Classify(Folder& folder, std::vector<DirectoryEntry> entries, Listing& listing) const;
  Status AddLink(Folder& folder, const std::string& name) const;
  Result<bool> FollowLink(Folder& folder, const std::string& name, Listing& listing) const;
  void AddFile(Folder& folder, SourceEntry entry) const;
  Status AddFiles(Folder& folder, const std::vector<std::string>& names) const;
  void CheckReadable(Folder& folder, const SourceEntry& entry) const;
  std::string Absolute(const Folder& folder) const;

  FileSystem& fs_;
  const std::string root_;
  const WalkRules rules_;
  const std::uint32_t user_;
};

/// Checks the symbolic links of a tree. Rewrites links that reach the root through a path outside
/// of it, such as an absolute path, as relative links. Adds a warning for links to excluded files.
/// Removes the other links of a bundle that point outside of the root, with a warning.
///
/// @returns  a problem for each link of data that points outside the root.
/// @errors   those of FileSystem.
Result<std::vector<Problem>> CheckLinks(FileSystem& fs, SourceTree& tree,
                                        const WalkOptions& options);

}  // namespace kinetic::bundle
