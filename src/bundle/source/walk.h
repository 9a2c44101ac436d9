#pragma once

#include "kinetic/bundle.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "bundle/source/root.h"

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::bundle {

/// One thing that is to travel, as it lies on this machine.
struct SourceEntry {
  std::string path;  ///< relative to the root, '/'-separated; bytes, not necessarily UTF-8
  BundleEntry::Type type = BundleEntry::Type::kFile;
  bool executable = false;  ///< of a file: its owner may execute it
  std::string link_target;  ///< of a symbolic link: relative, stays inside the root
  FileStatus status;        ///< of a file only
};

/// What is to travel: files, symbolic links, and folders of which nothing else travels.
struct SourceTree {
  Path root;                         ///< absolute, without symbolic links
  std::string root_reason;           ///< "has pyproject.toml"
  std::vector<SourceEntry> entries;  ///< by path, bytewise
  std::vector<std::string> warnings;
};

struct WalkOptions {
  std::vector<std::string> exclude;        ///< as lines of a .gitignore in the root; they win
  bool default_excludes = true;            ///< DefaultExcludes(); .git is always excluded
  bool ignore_files = true;                ///< .gitignore and .kineticignore count
  std::size_t threads = 1;                 ///< that read folders; 0: one per processor
  std::size_t max_entries = 2'000'000;     ///< of the result
  std::vector<std::string> skip_absolute;  ///< paths that never travel, such as the store's folder
};

/// Lists what travels from a root: docs/reference/bundles.md.
///
/// Folders are read, files are not. Symbolic links are never followed; one that points to a place
/// inside the root is kept, as relative text. The result depends on the file system alone, not on
/// the number of threads.
///
/// @errors  kInvalidArgument (links that point out of the root, paths too long or too deep; up to
///          ten are named) · kPermissionDenied (what cannot be read; up to ten are named) ·
///          kResourceExhausted (more than `max_entries`; names the folder that holds the most) ·
///          kCancelled · those of FileSystem.
/// @threads safe to call concurrently.
Result<SourceTree> Walk(FileSystem& fs, const Root& root, const WalkOptions& options,
                        std::stop_token stop);

/// What would travel, in the words of the public API.
BundleListing ToListing(const SourceTree& tree);

}  // namespace kinetic::bundle
