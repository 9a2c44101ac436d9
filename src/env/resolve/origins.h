#pragma once

#include "kinetic/environment.h"

#include "env/dependencies/manifest.h"
#include "env/lock.h"
#include "env/tool_options.h"

#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Returns a package of a lock, and the packages that require it, directly or not. uv resolves the
/// manifest again with the versions of the lock, from its cache if possible.
///
/// @param package  in any spelling.
/// @errors  kNotFound: the lock does not contain the package · those of Resolve.
Result<std::vector<PackageOrigin>> FindOrigins(const Manifest& manifest, const Lock& lock,
                                               const ToolOptions& tools, std::string_view package,
                                               std::stop_token stop);

}  // namespace kinetic::env
