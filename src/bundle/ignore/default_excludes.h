#pragma once

#include "bundle/ignore/rules.h"

namespace kinetic::bundle {

/// Returns the rules for what is not bundled unless a .kineticignore, `exclude` or
/// `default_excludes: false` says otherwise.
const IgnoreRules& DefaultExcludes();

}  // namespace kinetic::bundle
