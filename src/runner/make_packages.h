#pragma once

#include "base/file_system.h"

namespace kinetic::runner {

/// Makes the packages that the environment of this process asks for (pod::PackagesRequest), with
/// the Python and pip, or uv, of the image that it runs in, and stores them. What installers say
/// goes to standard output, and how it ended to pod::kTerminationFile.
///
/// @param folder  may be written to; the runner was installed in it.
/// @returns  what the process is to exit with.
int MakePackages(const Path& folder);

}  // namespace kinetic::runner
