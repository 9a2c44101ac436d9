#pragma once

#include "kinetic/client.h"

#include "base/files/file_system.h"

#include <stop_token>
#include <string>

namespace kinetic::job {

/// Returns the first line that `program --version` prints, or an empty string if it fails.
std::string VersionLine(const Path& program, const ClientOptions& options, std::stop_token stop);

}  // namespace kinetic::job
