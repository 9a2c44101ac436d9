#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <optional>
#include <string>

namespace kinetic::runner {

/// Returns a note about the files that a program wrote to its working folder, which is removed with the job. nullopt:
/// there are none. Hidden files and compiled Python are not counted, nor what is beyond 10,000 entries.
///
/// @param since  the files of the bundle are older.
std::optional<std::string> UnkeptFilesNote(FileSystem& fs, const Path& work, WallTime since);

}  // namespace kinetic::runner
