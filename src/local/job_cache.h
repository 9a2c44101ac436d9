#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The folder in which the jobs of this machine keep downloaded models and datasets for later jobs. A
/// pod has such a folder of its own (local/runtime.h).
/// The variables that AddJobCache sets name its subfolders.
///
///   {cache_dir}/job-cache/             its modification time is the last use
///   {cache_dir}/job-cache/{subfolder}  of one library; users may replace it by a link
namespace kinetic::local {

/// The variables that AddJobCache sets.
inline constexpr std::array<std::string_view, 6> kJobCacheVariables{
    "XDG_CACHE_HOME", "HF_HOME", "TORCH_HOME", "KERAS_HOME", "KAGGLEHUB_CACHE", "NLTK_DATA"};

/// Those of libraries that otherwise use a subfolder of XDG_CACHE_HOME.
inline constexpr std::array<std::string_view, 2> kXdgCacheVariables{"HF_HOME", "TORCH_HOME"};

Path JobCacheFolder(const Path& cache_dir);

/// Creates the folder if needed and marks it as used.
Status PrepareJobCache(FileSystem& fs, Clock& clock, const Path& folder);

/// Adds the variables that name the cache to the environment of a job, except those that it has.
/// The folders of libraries that use XDG_CACHE_HOME are in the one that the environment names.
void AddJobCache(const Path& folder, std::map<std::string, std::string>& environment);

/// The files of one library in the cache.
struct JobCachePart {
  Path path;
  std::uint64_t size_bytes = 0;
};

/// Lists the parts of the cache that are not empty. Excludes links, which users created.
Result<std::vector<JobCachePart>> ListJobCache(FileSystem& fs, const Path& folder);

/// Returns the time of the last use, or nullopt if the folder does not exist.
Result<std::optional<WallTime>> LastUseOfJobCache(FileSystem& fs, const Path& folder);

}  // namespace kinetic::local
