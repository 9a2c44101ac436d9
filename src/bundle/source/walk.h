#pragma once

#include "kinetic/result.h"

#include "bundle/source/root.h"
#include "bundle/source/walked_tree.h"

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::bundle {

struct WalkOptions {
  std::vector<std::string> exclude;        ///< as lines of a .gitignore in the root; they win
  bool default_excludes = true;            ///< the table in default_excludes.h; .git always
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

}  // namespace kinetic::bundle
