#pragma once

#include "base/file_system.h"

namespace kinetic::runner {

/// Puts this program into a folder with all that it needs, so that it can be started in an image
/// that is not its own: its loader, its libraries and its certificates. (pod/packages_request.h)
///
/// @param program  as it was called, in its own image.
/// @returns  what the process is to exit with.
int InstallMaker(const Path& program, const Path& folder);

}  // namespace kinetic::runner
