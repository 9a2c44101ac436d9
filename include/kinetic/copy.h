#pragma once

#include "kinetic/observer.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kinetic::inline v0 {

/// What to copy between this machine and a job.
struct CopyOptions {
  /// A path in the job: relative to its working directory ("log.txt"), below its output or
  /// checkpoint folder ("outputs/a", "checkpoints/a"), or absolute, as the job sees it. "./outputs"
  /// is the folder `outputs` in the working directory. Empty: the working directory.
  std::string job_path;
  std::filesystem::path local;   ///< file or folder on this machine
  Observer* observer = nullptr;  ///< outlives the call; may be null
};

struct CopyReport {
  std::string destination;  ///< what was written: a local path, or an absolute path in the job
  bool is_folder = false;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  /// Entries of the source that were not copied, with reasons: "a/link: points outside the copied
  /// folder, or to a missing file". Of many entries in a job, the first 20 and their number.
  std::vector<std::string> skipped = {};
  std::uint64_t replaced = 0;  ///< files on this machine that existed before
};

}  // namespace kinetic::inline v0
