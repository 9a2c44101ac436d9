#pragma once

#include "env/environment_builder.h"
#include "env/install/tool_options.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

struct VirtualenvOptions {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
};

/// Keeps one virtual environment for each environment id, {cache_dir}/environments/{id}: made in a
/// folder beside it and renamed, by one process at a time, complete or absent. An empty lock gets
/// an empty environment, so that what the machine's Python happens to have installed is never seen.
std::unique_ptr<EnvironmentBuilder> MakeVirtualenvBuilder(VirtualenvOptions options);

/// An environment in the cache.
struct CachedEnvironment {
  std::string id;
  Path root;
  std::string python;  ///< empty where the marker cannot be read
  std::uint64_t packages = 0;
  WallTime built_at;
  WallTime last_used;
  std::uint64_t size_bytes = 0;
};

/// Every complete environment, by id.
Result<std::vector<CachedEnvironment>> ListEnvironments(FileSystem& fs, const Path& cache_dir);

/// Removes an environment that has not been used since `seen` was listed and that nobody builds
/// now. Whether it did.
Result<bool> EvictEnvironment(FileSystem& fs, const Path& cache_dir, const CachedEnvironment& seen);

/// Removes what interrupted builds left behind, and logs of failed ones older than `age`.
Status SweepEnvironments(const ToolOptions& tools, std::chrono::hours age);

}  // namespace kinetic::env
