#pragma once

#include "kinetic/result.h"

#include "env/dependencies/manifest_build.h"

namespace kinetic::env {

/// Adds a project folder and the digest of its content. Ignores the manifest's own folder, and
/// paths that are not folders.
///
/// @errors  kResourceExhausted: too many files · those of reading.
Status AddProjectFolder(ManifestBuild& build, const Path& folder);

/// Adds the dependencies that uv gets from the project's build backend, as the digest of the
/// project's folder.
///
/// @errors  those of AddProjectFolder.
Status AddBuiltMetadata(ManifestBuild& build);

}  // namespace kinetic::env
