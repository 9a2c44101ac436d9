#pragma once

#include "kinetic/log.h"

#include <memory>
#include <string>

namespace kinetic::cli {

class Output;

/// Returns a sink that writes the library's diagnostics of `level` and above to stderr through
/// `output`. Returns null for "off". The output must outlive the sink.
///
/// @param level  a value of the setting log_level.
std::unique_ptr<LogSink> MakeDiagnostics(const std::string& level, Output& output);

}  // namespace kinetic::cli
