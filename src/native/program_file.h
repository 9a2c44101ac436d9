#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

namespace kinetic::inline v0::native {

/// Returns the path of the file that this process runs, also if it was started through the dynamic
/// loader.
///
/// @errors  kFailedPrecondition: the file was replaced or removed since the program started · those
///          of FileSystem.
Result<Path> ProgramFile(FileSystem& fs);

}  // namespace kinetic::inline v0::native
