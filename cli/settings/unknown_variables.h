#pragma once

#include "settings/environment.h"

#include <string>
#include <vector>

namespace kinetic::cli {

/// Returns warnings about unknown KINETIC_ variables, each with the nearest known name. Skips the
/// variables that kinetic sets for jobs, because a job may call kinetic.
std::vector<std::string> UnknownVariables(const Surroundings& here);

}  // namespace kinetic::cli
