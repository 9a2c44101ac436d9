#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

namespace kinetic::runner {

/// Creates a virtual environment at `root` on top of a shared one. It has its own `bin`, its own
/// packages in front of the shared ones, and links to the other files. A job that installs or
/// removes packages changes only its own environment. Replaces an earlier one.
///
/// @errors  those of FileSystem.
Status LayerVirtualEnvironment(FileSystem& fs, const Path& shared, const Path& root);

}  // namespace kinetic::runner
