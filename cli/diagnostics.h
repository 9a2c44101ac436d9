#pragma once

#include "kinetic/log.h"

#include <memory>
#include <string>

namespace kinetic::cli {

/// Writes the library's diagnostics of `level` and above to stderr; null for "off".
///
/// @param level  a value of the setting log_level.
std::unique_ptr<LogSink> MakeDiagnostics(const std::string& level, bool color);

}  // namespace kinetic::cli
