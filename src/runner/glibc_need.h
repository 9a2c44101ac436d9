#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"

#include <optional>
#include <string>

namespace kinetic::runner {

/// A package that was built for the GNU C library, 2.`minor` or newer.
struct GlibcNeed {
  std::string package;  ///< "numpy-2.1.0"
  int minor = 0;        ///< 0: any
};

/// Of the packages in a folder the one that asks for the newest GNU C library, by what its wheel
/// says of itself. Nothing: none was built for it, or there is no such folder.
///
/// @errors  those of FileSystem::ReadDirectory.
/// @source  https://packaging.python.org/en/latest/specifications/binary-distribution-format
Result<std::optional<GlibcNeed>> FindGlibcNeed(FileSystem& fs, const Path& site_packages);

}  // namespace kinetic::runner
