#pragma once

#include "kinetic/result.h"

#include "local/runtime.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::local {

/// A path in a running job, as users write it for `kinetic cp`: docs/reference/runner.md, "Copies".
struct JobPath {
  enum class Place : std::uint8_t { kWorking, kOutputs, kCheckpoints, kAbsolute };

  Place place = Place::kWorking;
  std::string path;           ///< relative to the place, or absolute; without empty and "." parts
  bool names_folder = false;  ///< ends with '/'

  /// Returns the last part, or an empty string for the folder of the place itself.
  std::string name() const;
};

/// Parses "log.txt", "./outputs/a", "outputs/a", "checkpoints/7" or an absolute path. `outputs` and
/// `checkpoints` as the first part are the job's output and checkpoint folder.
///
/// @errors  kInvalidArgument: a part is "..".
Result<JobPath> ParseJobPath(std::string_view text);

/// A path below one of the folders that a job's program writes.
struct LocatedPath {
  Path root;          ///< nothing outside of it may be read or written
  std::string path;   ///< relative to `root`; empty for the folder itself
  std::string shown;  ///< how users write `root`: "outputs", or empty for the working directory
};

/// Finds the folder of a path.
///
/// @param workdir  of the job: the folder in the bundle that the program starts in.
/// @errors  kInvalidArgument: an absolute path that is in none of the job's folders.
Result<LocatedPath> Locate(const JobPath& path, const Runtime& runtime, std::string_view workdir);

}  // namespace kinetic::local
