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

/// Begins the identity of each local target: "local:laptop:/home/ana/.local/state/kinetic".
inline constexpr std::string_view kLocalIdentity = "local:";

struct LocalTargetOptions {
  Path state_dir;                 ///< absolute; contains a folder per job that is not collected
  Path runner;                    ///< the kinetic-runner program
  std::string store;              ///< argument of store::Open
  std::string search_path;        ///< PATH of the jobs
  std::uint32_t concurrency = 0;  ///< concurrent jobs; 0: one per two CPUs
  Path data_cache = {};           ///< keeps data for later jobs; empty: no cache
  Path job_cache = {};            ///< for what jobs download: local/job_cache.h; empty: no cache
  CloudOptions cloud = {};        ///< for a store in a bucket
  LogSink* log = nullptr;         ///< outlives the target; may be null
};

/// Runs jobs as supervised processes on this machine: docs/reference/local.md. A job outlives the
/// client that started it; any client of the same state folder can watch, follow and cancel it.
std::unique_ptr<Target> MakeLocalTarget(LocalTargetOptions options, FileSystem& fs, Clock& clock);

/// Returns the keys of `spec` that the local target rejects or ignores, in the order of
/// docs/reference/job-file.md. It rejects keys that would change the result, and ignores keys that
/// only affect cost or placement.
std::vector<Limitation> CheckSpecForLocal(const JobSpec& spec);

/// Explains the state of a job on this machine by its supervisor's status.
Explanation ExplainLocal(const Observation& observation);

}  // namespace kinetic::backend
