#pragma once

#include "base/files/file_system.h"

#include <string>

namespace kinetic::env {

struct WheelLayout {
  std::string python;  ///< minor version of the environment: "3.12"
  std::string prefix;  ///< where the environment will lie
};

/// Moves what an installer made of one wheel under `installed` (`lib/python3.11/site-packages/…`,
/// `bin/…`, `share/…`, of whatever Python) to `folder`, on the same file system, in the form that
/// InstallPackage promises.
///
/// @errors  kFailedPrecondition: no wheel's metadata in it, or two files in one place · those of
///          the file system.
Status LayOutWheel(FileSystem& fs, const Path& installed, const Path& folder,
                   const WheelLayout& layout);

}  // namespace kinetic::env
