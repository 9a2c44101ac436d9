#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "env/dependencies/pyproject.h"
#include "env/dependencies/urls.h"

#include <string>
#include <vector>

namespace kinetic::env {

/// Reads what of [tool.uv] decides where packages come from: index, index-url, extra-index-url,
/// find-links, constraint-dependencies, sources. Indexes go into `project.index`.
///
/// @returns  the constraints, as written.
/// @errors   kInvalidArgument: sources that are local or version control, and overrides, which only
///           uv itself can resolve.
/// @source   https://docs.astral.sh/uv/reference/settings/
Result<std::vector<std::string>> ReadUvSettings(const Value& document, const std::string& file,
                                                UrlReader& urls, ProjectRequirements& project);

}  // namespace kinetic::env
