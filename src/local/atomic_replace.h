#pragma once

#include "base/files/file_system.h"

#include <string_view>

namespace kinetic::local {

/// Replaces a file that has one writer: readers see the old content or the new one. Not forced to
/// the disk: a crash of the machine may leave neither.
Status ReplaceFile(FileSystem& fs, const Path& path, std::string_view bytes,
                   std::uint32_t permissions);

}  // namespace kinetic::local
