#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "runner/devices/check_result.h"
#include "runner/devices/chips.h"
#include "runner/program/process.h"

#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// A program that is about to start in a container with accelerators.
struct DeviceCheck {
  Chips requested;
  const Program& program;
  Path environment;  ///< the folder of the job's virtual environment; empty if there is none
  Path devices = "/dev";
  std::chrono::milliseconds timeout{60'000};  ///< for each framework
};

/// Returns the frameworks to probe, according to the program's environment variables.
std::vector<std::string> FrameworksToProbe(ChipKind kind,
                                           const std::map<std::string, std::string>& environment);

/// Checks that the frameworks of a program's Python see the accelerators, before any code of the job
/// runs. Where no framework can be probed, device files are counted.
///
/// @errors  kCancelled.
Result<DeviceCheckResult> CheckDevices(FileSystem& fs, const DeviceCheck& check,
                                       const std::stop_token& stop);

}  // namespace kinetic::runner
