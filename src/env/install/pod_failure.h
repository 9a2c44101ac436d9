#pragma once

#include "env/install/log.h"
#include "env/pep/target_platform.h"

#include <string_view>

namespace kinetic::env {

/// InstallerFailure, for what was asked for a pod: where a package has no wheel for it, the hint
/// names the package, and what can be done.
Failure PodInstallerFailure(std::string_view what, const TargetPlatform& target, InstallerLog& log);

}  // namespace kinetic::env
