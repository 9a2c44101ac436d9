#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "env/dependencies/manifest_build.h"

#include <string>

namespace kinetic::env {

/// Adds the values of a TOML table to the settings: "tool.uv.index.0.url https://…".
///
/// @param folder  of the file.
Status AddSettings(ManifestBuild& build, const Path& folder, const std::string& key,
                   const Value& table);

/// Adds the `[tool.uv]` table of a script: its values, and the indexes in it.
Status AddUvSettings(ManifestBuild& build, const Path& folder, const Value& uv);

/// Adds the settings of uv that apply in a folder: uv.toml and [tool.uv] of pyproject.toml, there
/// and in the parent folders, and of the user and the machine. Indexes come only from the file that
/// uv reads: the nearest one from FindSettingsRoot. A uv.toml below that folder causes a warning. Files
/// that cannot be read are left to uv.
Status AddFolderSettings(ManifestBuild& build, const Path& folder);

}  // namespace kinetic::env
