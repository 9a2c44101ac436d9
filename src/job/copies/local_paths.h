#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "local/outputs.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::job {

/// Returns the path that a source called `name` gets, by the rules of `cp`: in `path` if that is a
/// folder, otherwise `path` itself.
///
/// @param name  empty: the content of the source is copied into the folder.
/// @errors  kInvalidArgument: an empty path · kNotFound: the folder of `path` does not exist ·
///          kFailedPrecondition: a file where a folder is needed.
Result<Path> DestinationFor(const Path& path, const std::string& name);

/// Checks that a file or folder can be written at the result of DestinationFor, and returns where: a
/// link to a file is followed.
///
/// @param path  as the user wrote it; "a/" is no name for a file.
/// @errors  kFailedPrecondition: a file in place of a folder or the reverse, a device or pipe, a
///          link to a missing file.
Result<Path> CheckDestination(const Path& path, const Path& destination, bool is_folder);

/// A file or folder of this machine to copy.
struct LocalSource {
  bool is_folder = false;
  std::string name;                ///< empty for "." and "/"
  Path folder;                     ///< that the paths of `files` are relative to
  std::unique_ptr<FileSystem> fs;  ///< confined to `folder`
  std::vector<local::ScannedOutput> files;
  std::vector<std::string> skipped;
  std::uint64_t bytes = 0;
};

/// Finds the files to copy.
/// @errors  kNotFound · kFailedPrecondition: neither a file nor a folder · errors of FileSystem.
Result<LocalSource> ScanSource(FileSystem& fs, const Path& path, const std::stop_token& stop);

}  // namespace kinetic::job
