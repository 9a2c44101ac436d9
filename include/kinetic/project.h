#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include <filesystem>

namespace kinetic::inline v0 {

/// The folder that a job's code is uploaded from.
struct Project {
  std::filesystem::path folder;  ///< absolute, without symbolic links
  bool has_marker = false;       ///< it has a file such as pyproject.toml, or .git
};

/// Returns the project of the jobs of a folder: the nearest folder upwards with a project marker, or
/// else the folder itself or the parent of its Python package.
///
/// @param home  the user's home directory, which is no project; or empty.
/// @errors  kNotFound (no such folder) · kInvalidArgument (the project would be "/", the home
///          directory, or a folder that contains it) · kPermissionDenied.
/// @source  docs/reference/bundles.md
KINETIC_EXPORT Result<Project> FindProject(const std::filesystem::path& folder,
                                           const std::filesystem::path& home);

/// Returns whether a bundle contains a file, which an ignore file or the bundle may exclude. Reads
/// only the folders above the file.
///
/// @param bundle  has a root.
/// @param file    relative to the root.
/// @errors  kNotFound (no such root) · kPermissionDenied.
/// @source  docs/reference/bundles.md
KINETIC_EXPORT Result<bool> IsInBundle(const BundleSpec& bundle, const std::filesystem::path& file);

}  // namespace kinetic::inline v0
