#pragma once

#include "env/install/log.h"

#include <string>
#include <vector>

namespace kinetic::env {

/// Returns the warnings in the output of uv, each once and in one line. Excerpts of files and lists
/// of alternatives are left out, and so are warnings about options that kinetic passes.
std::vector<std::string> UvWarnings(const InstallerLog& log);

}  // namespace kinetic::env
