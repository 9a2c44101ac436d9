#pragma once

#include "backend/target.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::backend {

/// The state folder to sweep.
struct SweepOptions {
  FileSystem& fs;
  Clock& clock;
  Path state_dir;
  std::string store;  ///< jobs of other stores are ignored
};

/// Finds runtime folders without a supervisor, and ends the processes that dead supervisors left
/// behind, even if another program has reused a supervisor's PID.
Result<std::vector<AbandonedJob>> SweepRuntimes(const SweepOptions& options, std::stop_token stop);

}  // namespace kinetic::backend
