#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <string_view>

namespace kinetic::local {

/// Replaces a file that has one writer. Readers see the old or the new content. The write is not
/// synced, so a crash of the machine may lose both. On a full disk, uses the space of ReserveSpace.
Status ReplaceFile(FileSystem& fs, const Path& path, std::string_view bytes,
                   std::uint32_t permissions);

/// Sets disk space aside, in {path}.reserve, for the next ReplaceFile of `path` on a full disk.
Status ReserveSpace(FileSystem& fs, const Path& path);

}  // namespace kinetic::local
