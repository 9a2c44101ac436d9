#pragma once

#include "kinetic/cloud.h"
#include "kinetic/explanation.h"

#include "backend/target.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kinetic::backend {

struct LocalTargetOptions {
  Path state_dir;                 ///< absolute; one folder in it for each job that is not collected
  Path runner;                    ///< the kinetic-runner program
  std::string store;              ///< as store::Open takes it
  std::string search_path;        ///< PATH of the jobs
  std::uint32_t concurrency = 0;  ///< jobs that run at once; 0: one for each two processors
  Path data_cache = {};           ///< keeps data for later jobs; empty: nothing does
  CloudOptions cloud = {};        ///< with which a supervisor opens a store in a bucket
};

/// Runs jobs as supervised processes on this machine: docs/reference/local.md. A job outlives the
/// client that started it; any client of the same state folder can watch, follow and cancel it.
std::unique_ptr<Target> MakeLocalTarget(LocalTargetOptions options, FileSystem& fs, Clock& clock);

/// What of `spec` the local target refuses or does not apply, in the order of
/// docs/reference/job-file.md. What would change the result is refused; what changes only cost or
/// place is listed as not applied.
std::vector<Limitation> CheckLocal(const JobSpec& spec);

/// Explains the state of a job on this machine by its supervisor's status.
Explanation ExplainLocal(const Observation& observation);

}  // namespace kinetic::backend
