#pragma once

#include "base/file_system.h"

namespace kinetic::runner {

/// `kinetic-runner install FOLDER`: copies the launcher that lies beside this program to
/// FOLDER/bin/kinetic-launcher, from where another container starts it.
///
/// @param program  argv[0] of this one.
/// @returns        the exit code.
int Install(const Path& program, const Path& folder);

}  // namespace kinetic::runner
