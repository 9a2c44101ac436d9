#pragma once

#include "base/files/file_system.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::local {

/// The file or folder that a path leads to.
struct Destination {
  std::string path;  ///< relative to the folder, without links; empty for the folder itself
  FileStatus status;
};

/// Returns where a path leads without leaving `folder` at any step, or nullopt. The system must not
/// follow links: the program may replace them at any time.
///
/// @param fs    confined to a folder that contains `folder`.
/// @param path  relative to `folder`.
std::optional<Destination> FollowPath(FileSystem& fs, const Path& folder, std::string_view path);

/// Returns the hint for a name that a folder does not have: "did you mean 'train.log'?", or an empty
/// string.
std::string NearestEntryHint(FileSystem& fs, const Path& folder, const std::string& name);

}  // namespace kinetic::local
