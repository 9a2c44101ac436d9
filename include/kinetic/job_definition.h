#pragma once

#include "kinetic/job_spec.h"

#include <cstddef>
#include <optional>
#include <string>

namespace kinetic::inline v0 {

/// What was submitted as a job.
struct JobDefinition {
  /// The resolved job file, with its arguments and without the values of secrets. `workdir` is
  /// relative to the root of the code. A function that a Python program passed by value has its own
  /// name and arguments.
  JobSpec spec;
  std::string commit;  ///< of the git working tree that the code came from; empty: none
  std::string branch;
  std::string python;                   ///< minor version; empty: no environment
  std::optional<std::size_t> packages;  ///< absent: no environment, or its lock is gone
  std::string image;                    ///< of the container; empty: none
  std::string rerun_of;                 ///< ID of the job that this one repeats, or empty
};

}  // namespace kinetic::inline v0
