#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "env/virtualenv/package_set.h"

#include <span>
#include <string_view>

namespace kinetic::env {

/// Links the files of packages in package sets to an environment at `root`. Folders of packages
/// for any platform, and folders of headers, become symbolic links, except those with files of
/// several sets, or of other packages. Other files become hard links.
///
/// @param python  "3.12"
Status LinkPackages(FileSystem& fs, std::span<const SetPackages> packages, std::string_view python,
                    const Path& root);

}  // namespace kinetic::env
