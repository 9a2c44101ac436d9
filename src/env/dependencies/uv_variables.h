#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace kinetic::env {

/// Returns the variables of uv that affect which packages uv selects, besides those of indexes.
/// kinetic does not pass them to uv, because they are not part of keys.
std::span<const std::string_view> UvResolutionVariables();

/// Returns the names of those variables that are set, for a warning: "UV_CONSTRAINT, UV_OVERRIDE".
std::string UnusedUvVariables(const std::map<std::string, std::string>& environment);

}  // namespace kinetic::env
