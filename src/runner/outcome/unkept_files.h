#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <optional>
#include <string>

namespace kinetic::runner {

/// Returns a note about the files that a program wrote to its working folder, which is removed at the
/// end of the job, or nullopt if there are none. Ignores hidden files and compiled Python. Examines at
/// most 10,000 entries.
///
/// @param since  a time after the bundle was unpacked and before the program started.
std::optional<std::string> UnkeptFilesNote(FileSystem& fs, const Path& work, WallTime since);

}  // namespace kinetic::runner
