#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <optional>
#include <string>

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

/// The folder whose content travels.
struct Root {
  Path path;           ///< absolute, without symbolic links
  std::string reason;  ///< "has pyproject.toml", "bundle.root"
  Path repository;     ///< the top folder of the git repository it lies in; empty when in none
};

/// Finds the folder whose content travels.
///
/// `explicit_root` is taken as it is. Otherwise the nearest folder from `start` upwards that has a
/// project marker is taken; in one folder the markers count in this order: .kineticignore,
/// pyproject.toml, uv.lock, requirements.txt, setup.py, setup.cfg, .git. Without any marker it is
/// `start`, or, when that is part of a Python package, the folder that holds the outermost package.
/// `home`, what contains it, and "/" are never taken.
///
/// @param start          a folder: where the job file is, or where kinetic was called.
/// @param explicit_root  as the user gave it; relative to `start`.
/// @param home           the user's home folder; empty when there is none.
/// @errors  kNotFound (no such folder) · kInvalidArgument (not a folder; the root would be the home
///          folder or "/") · those of FileSystem.
/// @threads safe to call concurrently.
Result<Root> FindRoot(FileSystem& fs, const Path& start, const std::optional<Path>& explicit_root,
                      const Path& home);

}  // namespace kinetic::bundle
