#pragma once

#include "kinetic/result.h"

#include <string_view>

namespace kinetic::runner {

/// Writes a line to standard error, which is supervisor.log on the local target. The line is
/// dropped if standard error is a pipe that is not read.
void LogDiagnostic(std::string_view message);

/// Writes "{action}: {error}" if `status` is an error.
void LogFailure(std::string_view action, const Status& status);

/// Sets the prefix of all later lines.
/// @param prefix  lives as long as the program.
/// @threads       call before other threads start.
void SetDiagnosticPrefix(std::string_view prefix);

/// Writes the container's termination message, which `kubectl describe` shows and the client reads.
/// The kubelet creates the file; errors are ignored because it may not exist.
void WriteTerminationMessage(std::string_view message);

}  // namespace kinetic::runner
