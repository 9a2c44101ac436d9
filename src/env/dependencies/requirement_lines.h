#pragma once

#include "kinetic/result.h"

#include "env/dependencies/manifest_build.h"

namespace kinetic::env {

/// Adds the lines of a requirements file and of the files that it includes. uv interprets the
/// lines. kinetic reads only includes, hashes, and URLs.
///
/// @errors  kInvalidArgument ("requirements.txt:3: …": a variable that is not permitted, an include
///          from a URL) · those of reading.
/// @source  https://pip.pypa.io/en/stable/reference/requirements-file-format/
Status AddRequirements(ManifestBuild& build, const Path& path);

}  // namespace kinetic::env
