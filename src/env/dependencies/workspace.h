#pragma once

#include "kinetic/value.h"

#include "base/files/file_system.h"

#include <optional>

namespace kinetic::env {

/// Returns the document of a TOML file, or nullopt if uv or the caller reports the file.
std::optional<Value> ReadTomlIfValid(FileSystem& fs, const Path& path);

/// Returns the root of the uv workspace that a folder's project is in, as uv finds it: the nearest
/// folder above the project's with a pyproject.toml, if its `[tool.uv.workspace]` has the project
/// as a member. Returns the project's own folder if it is a root, and nullopt if the project is in
/// no workspace.
///
/// @param folder  of a project, or below it.
/// @source  https://docs.astral.sh/uv/concepts/projects/workspaces/
std::optional<Path> FindWorkspaceRoot(FileSystem& fs, const Path& folder);

/// Returns the folder from which uv searches upward for its settings: the root of the workspace,
/// else the folder of the nearest pyproject.toml if it has a `[project]` table, else the folder.
///
/// @param folder  in its normal form.
Path FindSettingsRoot(FileSystem& fs, const Path& folder);

}  // namespace kinetic::env
