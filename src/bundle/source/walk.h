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

/// A local file, symbolic link or empty folder to bundle.
struct SourceEntry {
  std::string path;  ///< relative to the root, '/'-separated; bytes, not necessarily UTF-8
  BundleEntry::Type type = BundleEntry::Type::kFile;
  bool executable = false;  ///< of a file: executable by its owner
  std::string link_target;  ///< of a symbolic link: relative, inside the root
  FileStatus status;        ///< only for files
};

/// The files, symbolic links and empty folders to bundle.
struct SourceTree {
  Path root;                         ///< absolute, without symbolic links
  std::string root_reason;           ///< "has pyproject.toml"
  std::vector<SourceEntry> entries;  ///< by path, bytewise
  std::vector<std::string> warnings;
};

struct WalkOptions {
  std::vector<std::string> exclude;  ///< lines of a .gitignore in the root; they take precedence
  bool default_excludes = true;      ///< DefaultExcludes()
  bool ignore_files = true;          ///< apply .gitignore and .kineticignore, exclude .git
  bool is_data = false;              ///< messages name what applies to `data:`
  /// Replace links that point outside the root by the files and folders that they point to.
  bool follow_links = false;
  std::size_t threads = 1;                 ///< 0: one per processor
  std::size_t max_entries = 2'000'000;     ///< in the result
  std::vector<std::string> skip_absolute;  ///< paths to exclude, such as the store's folder
  /// Read only the folders above this path, which is relative to the root. Empty: all folders.
  std::string toward;
};

/// Lists the files to bundle below a root: docs/reference/bundles.md.
///
/// Reads folders, but no files. Links to paths inside the root are kept and made relative. Others
/// are errors, unless `follow_links` is set. The result does not depend on the number of threads.
///
/// @errors  kInvalidArgument (links that point outside the root, paths too long or too deep; names
///          up to ten) · kPermissionDenied (unreadable files; names up to ten) ·
///          kResourceExhausted (more than `max_entries`; names the folder with the most files) ·
///          kCancelled · those of FileSystem.
/// @threads safe to call concurrently.
Result<SourceTree> Walk(FileSystem& fs, const Root& root, const WalkOptions& options,
                        std::stop_token stop);

/// Returns whether Walk lists a file, or a link in its path. Reads only the folders above it.
///
/// @param file  relative to the root, '/'-separated.
/// @errors  those of Walk.
Result<bool> IsListed(FileSystem& fs, const Root& root, WalkOptions options,
                      const std::string& file);

/// Lists all files of a `data:` source, without ignore rules. A single file is a list with one entry,
/// whose root is its folder.
///
/// @param source        absolute, without symbolic links.
/// @param follow_links  as in WalkOptions.
/// @errors  kInvalidArgument (neither a file nor a folder) · those of Walk.
Result<SourceTree> WalkDataSource(FileSystem& fs, const Path& source, bool follow_links,
                                  std::stop_token stop);

/// Converts a tree to the type of the public API.
BundleListing ToListing(SourceTree tree);

}  // namespace kinetic::bundle
