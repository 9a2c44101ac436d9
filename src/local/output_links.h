#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <map>
#include <string>

namespace kinetic::local {

/// Creates symbolic links of fetched files below a folder, whose objects may be hostile. No link is
/// created through another one, and none leads out of the folder.
///
/// @param fs     confined to `folder` or a folder that contains it.
/// @param links  targets by path, both as in DestinationOf.
/// @errors  those of FileSystem, such as a folder that has the name of a link.
/// @returns the number of links that were not there.
Result<std::uint64_t> CreateOutputLinks(FileSystem& fs, const Path& folder,
                                        const std::map<std::string, std::string>& links);

}  // namespace kinetic::local
