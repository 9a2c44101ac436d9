#pragma once

#include "bundle/source/walk.h"
#include "job/context.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Cache folder with the large files that each project was warned about.
inline constexpr std::string_view kLargeFilesFolder = "large-files";

/// Returns a warning that names the five largest files of a bundle above 50 MiB. Returns nullopt if
/// the project has none, or was warned about all of them before.
///
/// @param remember  do not warn about these files again.
std::optional<std::string> LargeFilesWarning(const Context& context,
                                             const bundle::SourceTree& source, bool remember);

}  // namespace kinetic::job
