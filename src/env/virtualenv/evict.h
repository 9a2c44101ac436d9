#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "env/tool_options.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kinetic::env {

/// An environment in the cache.
struct CachedEnvironment {
  std::string id;
  Path root;
  std::string python;  ///< empty if the marker is not readable
  std::uint64_t packages = 0;
  WallTime built_at;
  WallTime last_used;
  std::uint64_t size_bytes = 0;  ///< without its package sets
  std::vector<Path> package_sets = {};
  std::string damage = {};  ///< why package_sets is unknown
};

/// A package set in the cache, or a folder that a killed build left.
struct CachedPackageSet {
  Path root;
  WallTime last_used;  ///< by the build of an environment
  std::uint64_t size_bytes = 0;
};

/// Lists the complete environments by id.
Result<std::vector<CachedEnvironment>> ListEnvironments(FileSystem& fs, const Path& cache_dir);

/// Removes an environment unless it was used since `seen` was listed or is being built. Returns
/// whether it was removed.
Result<bool> EvictEnvironment(FileSystem& fs, const Path& cache_dir, const CachedEnvironment& seen);

/// Lists the package sets.
Result<std::vector<CachedPackageSet>> ListPackageSets(FileSystem& fs, const Path& cache_dir);

/// Removes a package set unless it was used since `seen` was listed, an environment links to it, or
/// an environment is being built. Returns whether it was removed.
Result<bool> EvictPackageSet(FileSystem& fs, const Path& cache_dir, const CachedPackageSet& seen);

/// Removes abandoned temporary folders, and logs of failed installers older than `age`.
Status SweepEnvironments(const ToolOptions& tools, std::chrono::hours age);

}  // namespace kinetic::env
