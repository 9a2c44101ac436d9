#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "runner/chips.h"
#include "runner/device_answer.h"

#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// How frameworks are asked what they see of a container's accelerators.
struct DeviceProbe {
  ChipKind kind = ChipKind::kTpu;
  Path python;                                     ///< that the job's program will run with
  std::map<std::string, std::string> environment;  ///< the program's
  Path working_directory;                          ///< the program's
  std::chrono::milliseconds patience{60'000};      ///< with each of them
};

/// Asks frameworks, each in a process of its own, all at a time. The processes are over when it
/// returns, and have let the accelerators go. Nothing of the job's own is imported.
///
/// @param frameworks  "jax", "torch".
/// @returns  an answer of each, in their order; of one that crashes or says nothing, kUnknown.
/// @errors   kCancelled.
Result<std::vector<DeviceAnswer>> AskFrameworks(const DeviceProbe& probe,
                                                const std::vector<std::string>& frameworks,
                                                const std::stop_token& stop);

}  // namespace kinetic::runner
