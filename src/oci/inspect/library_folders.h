#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <vector>

namespace kinetic::oci {

/// The folders that the dynamic loader of a machine looks in for libraries of a kind: those of
/// /etc/ld.so.conf and what it includes, then its own.
///
/// @param root  "/"; tests have others.
/// @errors  the file system's; an absent file names no folder.
Result<std::vector<Path>> LibraryFolders(FileSystem& fs, std::uint16_t machine,
                                         const Path& root = "/");

}  // namespace kinetic::oci
