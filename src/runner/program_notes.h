#pragma once

#include "runner/launcher.h"

#include <string>
#include <vector>

namespace kinetic::runner {

/// What the log says of a program's end that the program itself could not: one line each.
std::vector<std::string> ProgramNotes(const ProgramEnd& end, const LaunchLimits& limits);

}  // namespace kinetic::runner
