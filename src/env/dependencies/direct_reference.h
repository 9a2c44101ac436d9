#pragma once

#include "kinetic/result.h"

#include "env/dependencies/manifest_build.h"

#include <string>
#include <string_view>

namespace kinetic::env {

/// A requirement that names a place: `lib @ git+https://…`, `lib[x]@file:../lib`, `./lib`.
struct DirectReference {
  std::string name;        ///< normalized; empty for a path without a name
  std::string_view place;  ///< with `[extras]`, markers, and options
};

/// Parses a requirement. The place of a requirement without one is its whole text.
DirectReference ParseDirectReference(std::string_view requirement);

/// Returns the path in a place, without extras, markers, and options.
Path PathIn(std::string_view place);

/// Adds the package that uv builds for a requirement, if it is one from a git repository or from a
/// folder: its name, and the content of the folder.
///
/// @param requirement  may also be only a place.
/// @errors             those of AddProjectFolder.
Status AddDirectReference(ManifestBuild& build, const std::string& requirement);

}  // namespace kinetic::env
