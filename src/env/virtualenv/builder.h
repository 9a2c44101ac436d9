#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "env/environment_builder.h"
#include "env/lock.h"
#include "env/tool_options.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Returns the content of a marker file.
std::string MarkerJson(const Lock& lock, std::string_view python_version, WallTime built);

/// Replaces `from` by `to` in the scripts and pyvenv.cfg of a virtual environment.
Status RelocateScripts(FileSystem& fs, const Path& root, const std::string& from,
                       const std::string& to);

struct VirtualenvOptions {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
};

/// Returns a builder that keeps one virtual environment for each environment id in
/// {cache_dir}/environments/{id}: created in a temporary folder and renamed, by one process at a
/// time. An empty lock gets an empty environment, which hides the packages of the machine's Python.
std::unique_ptr<EnvironmentBuilder> MakeVirtualenvBuilder(VirtualenvOptions options);

/// An environment in the cache.
struct CachedEnvironment {
  std::string id;
  Path root;
  std::string python;  ///< empty if the marker is not readable
  std::uint64_t packages = 0;
  WallTime built_at;
  WallTime last_used;
  std::uint64_t size_bytes = 0;
};

/// Lists the complete environments by id.
Result<std::vector<CachedEnvironment>> ListEnvironments(FileSystem& fs, const Path& cache_dir);

/// Removes an environment unless it was used since `seen` was listed or is being built. Returns
/// whether it was removed.
Result<bool> EvictEnvironment(FileSystem& fs, const Path& cache_dir, const CachedEnvironment& seen);

/// Removes abandoned temporary folders, and logs of failed installers older than `age`.
Status SweepEnvironments(const ToolOptions& tools, std::chrono::hours age);

}  // namespace kinetic::env
