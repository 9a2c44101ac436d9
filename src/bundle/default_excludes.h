#pragma once

#include "bundle/ignore_rules.h"

#include <span>
#include <string_view>

namespace kinetic::bundle {

/// What does not travel unless a .kineticignore, `exclude` or `default_excludes: false` says
/// otherwise: lines as in a .gitignore, for the documentation.
std::span<const std::string_view> DefaultExcludeLines();

/// The same, compiled.
const IgnoreRules& DefaultExcludes();

}  // namespace kinetic::bundle
