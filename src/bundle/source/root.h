#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <optional>
#include <string>

namespace kinetic::bundle {

/// The maximum number of symbolic links in a path, as in Linux. More are considered a loop.
inline constexpr int kMaxLinks = 40;

/// Resolves symbolic links, "." and "..". Components that do not exist are kept.
///
/// @param path  absolute.
/// @errors      kInvalidArgument (more than 40 links) · those of FileSystem.
Result<Path> ResolvePath(FileSystem& fs, const Path& path);

/// Same, for a path relative to a folder that is resolved.
Result<Path> ResolveIn(FileSystem& fs, const Path& folder, const Path& path);

/// Returns whether `path` is `folder` or below it. Both are absolute and resolved.
bool IsWithin(const Path& path, const Path& folder);

/// The folder that is bundled.
struct Root {
  Path path;                ///< absolute, without symbolic links
  std::string reason;       ///< "has pyproject.toml", "bundle.root"
  Path repository;          ///< top folder of the enclosing git repository, or empty
  bool has_marker = false;  ///< found by a project marker
};

/// Finds the folder to bundle.
///
/// The root is `explicit_root` if set. Otherwise it is the nearest folder from `start` upwards that
/// has a project marker. The markers, in order of precedence: .kineticignore, pyproject.toml,
/// uv.lock, pylock.toml, requirements.txt, setup.py, setup.cfg, .git. Without a marker it is `start` or, if
/// `start` is part of a Python package, the parent of the outermost package. The root is never "/",
/// `home`, or a folder that contains `home`.
///
/// @param start          the folder of the job file, or the working directory.
/// @param explicit_root  as given by the user; relative to `start`.
/// @param home           the user's home directory, or empty.
/// @errors  kNotFound (no such folder) · kInvalidArgument (not a folder; the root would be the home
///          directory or "/") · those of FileSystem.
/// @threads safe to call concurrently.
Result<Root> FindRoot(FileSystem& fs, const Path& start, const std::optional<Path>& explicit_root,
                      const Path& home);

}  // namespace kinetic::bundle
