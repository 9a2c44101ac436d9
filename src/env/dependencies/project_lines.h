#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "env/dependencies/manifest_build.h"

#include <string_view>

namespace kinetic::env {

/// Adds the tables of a pyproject.toml that uv reads: [project], [dependency-groups], [tool.uv].
///
/// @errors  kInvalidArgument: no [project] table, a Python that
///          requires-python excludes, a variable that is not permitted.
Status AddProject(ManifestBuild& build, const Path& path, const Value& document);

/// Adds inline script metadata: `dependencies`, `requires-python`, `[tool.uv]`.
Status AddScript(ManifestBuild& build, const Path& path, const Value& metadata);

/// Checks a `requires-python` against the Python of the job.
Status CheckRequiresPython(const Manifest& manifest, std::string_view requires_python);

/// Returns whether a pyproject.toml has a [project] table.
bool HasProject(const Value& document);

}  // namespace kinetic::env
