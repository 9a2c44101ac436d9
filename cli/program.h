#pragma once

#include "settings/environment.h"
#include "signals.h"

#include <string>
#include <vector>

namespace kinetic::cli {

/// The whole program but the process: parses, resolves the settings, runs the command and reports.
///
/// @param arguments  without the program's name.
/// @returns          the exit code.
int RunProgram(const std::vector<std::string>& arguments, const Surroundings& here,
               Signals& signals);

}  // namespace kinetic::cli
