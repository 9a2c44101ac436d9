#pragma once

#include "kinetic/log.h"

#include <memory>
#include <string>

namespace kinetic::cli {

class Output;

/// Writes the library's diagnostics of `level` and above to stderr, by way of the output, which
/// outlives it; null for "off".
///
/// @param level  a value of the setting log_level.
std::unique_ptr<LogSink> MakeDiagnostics(const std::string& level, Output& output);

}  // namespace kinetic::cli
