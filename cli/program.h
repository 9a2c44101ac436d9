#pragma once

#include "settings_names.h"
#include "signals.h"

#include <string>
#include <vector>

namespace kinetic::cli {

/// Runs the program: parses the arguments, resolves the settings, runs the command and reports
/// errors.
///
/// @param arguments  without the program name.
/// @returns          the exit code.
int RunProgram(const std::vector<std::string>& arguments, const ProcessEnvironment& process,
               Signals& signals);

}  // namespace kinetic::cli
