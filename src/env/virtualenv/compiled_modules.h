#pragma once

#include "base/files/file_system.h"

#include <span>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The folder next to modules in which Python keeps their compiled form.
inline constexpr std::string_view kCompiledFolder = "__pycache__";

/// Returns the folders of undamaged environments in the cache, last used first.
///
/// @param except  id of the environment that is being built; an existing one is damaged.
std::vector<Path> RecentEnvironments(FileSystem& fs, const Path& cache_dir,
                                     std::string_view except);

/// Adds a writable __pycache__ to a folder with modules, so that Python can compile them when jobs
/// import them. Links the compiled modules of the same files in other environments.
///
/// @param folder  below `root`, or empty.
/// @threads safe to call concurrently, for different folders.
Status AddCompiledModules(FileSystem& fs, const Path& root, const Path& folder,
                          std::span<const DirectoryEntry> entries, std::span<const Path> others);

}  // namespace kinetic::env
