#pragma once

#include "env/install/log.h"

#include <optional>
#include <string>

namespace kinetic::env {

/// Returns the program that the build of a package did not find, such as "gcc" or "cmake", or
/// nullopt.
std::optional<std::string> MissingTool(const InstallerLog& log);

}  // namespace kinetic::env
