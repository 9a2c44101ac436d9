#pragma once

#include "settings/environment.h"

#include <string>
#include <vector>

namespace kinetic::cli {

/// What to say of variables that begin with KINETIC_ and mean nothing to kinetic, each with the
/// nearest name that does. Those that a job is given are passed over: a job may call kinetic.
std::vector<std::string> UnknownVariables(const Surroundings& here);

}  // namespace kinetic::cli
