#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

namespace kinetic::bundle {

/// How many symbolic links a path may follow, as in Linux: more are a loop.
inline constexpr int kMaxLinks = 40;

/// The same place without symbolic links, "." and "..". What does not exist is kept as it is
/// written.
///
/// @param path  absolute.
/// @errors      kInvalidArgument (more than 40 links) · those of FileSystem.
Result<Path> ResolvePath(FileSystem& fs, const Path& path);

/// Whether `path` is `folder` or below it; both absolute and resolved.
bool IsWithin(const Path& path, const Path& folder);

}  // namespace kinetic::bundle
