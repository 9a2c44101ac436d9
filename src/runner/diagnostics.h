#pragma once

#include "kinetic/result.h"

#include <string_view>

namespace kinetic::runner {

/// Writes a line to standard error, which a supervisor keeps as supervisor.log. A pipe that nobody
/// reads gets none.
void Diagnose(std::string_view message);

/// What all lines begin with from now on, for those who tell them from others by it.
/// @param prefix  lives as long as the program.
/// @threads       before there are others.
void MarkDiagnostics(std::string_view prefix);

/// The same for what went wrong; nothing when nothing did.
void DiagnoseError(std::string_view what, const Status& status);

}  // namespace kinetic::runner
