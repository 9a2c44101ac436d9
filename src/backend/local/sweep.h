#pragma once

#include "backend/target.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::backend {

/// How long a client may take between making a runtime folder and locking it.
inline constexpr std::chrono::seconds kStartTakes{10};

/// How long processes that a dead supervisor left behind have between SIGTERM and SIGKILL.
inline constexpr std::chrono::seconds kOrphanGrace{2};

/// Where to sweep.
struct Machine {
  FileSystem& fs;
  Clock& clock;
  Path state_dir;
  std::string store;  ///< jobs that belong to another one are left to those who use that
};

/// Finds the runtime folders that no supervisor holds and ends the processes that dead supervisors
/// left behind, also when a process of another program has their number by now.
Result<std::vector<Target::LostJob>> SweepRuntimes(const Machine& machine, std::stop_token stop);

}  // namespace kinetic::backend
