#pragma once

#include "base/files/file_system.h"

#include <string>

namespace kinetic::env {

struct WheelLayout {
  std::string python;  ///< minor version of the environment: "3.12"
  std::string prefix;  ///< path of the environment where jobs run
};

/// Moves the files of one wheel that an installer created below `installed`
/// (`lib/python3.11/site-packages/…`, `bin/…`, `share/…`, of any Python) to `folder`, on the same
/// file system, in the layout of InstallPackage.
///
/// @errors  kFailedPrecondition: no wheel metadata, or two files for one path · those of the file
///          system.
Status NormalizeWheelLayout(FileSystem& fs, const Path& installed, const Path& folder,
                            const WheelLayout& layout);

/// Returns the hash and size of a file as in RECORD: "sha256=…,size".
Result<std::string> HashAndSize(FileSystem& fs, const Path& path);

}  // namespace kinetic::env
