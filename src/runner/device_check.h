#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "runner/chips.h"
#include "runner/device_verdict.h"
#include "runner/program.h"

#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// A program that is to begin in a container with accelerators.
struct DeviceCheck {
  Chips asked;
  const Program& program;
  Path environment;  ///< the folder of the job's virtual environment; empty: it has none
  Path devices = "/dev";
  std::chrono::milliseconds patience{60'000};  ///< with each framework
};

/// The frameworks to ask before a program begins, by what its environment says.
std::vector<std::string> FrameworksToAsk(ChipKind kind,
                                         const std::map<std::string, std::string>& environment);

/// Has the frameworks of a program's Python say whether they see the accelerators, and says what is
/// wrong before any code of the job's runs. Where none can be asked, device files are looked at.
///
/// @errors  kCancelled.
Result<DeviceVerdict> CheckDevices(FileSystem& fs, const DeviceCheck& check,
                                   const std::stop_token& stop);

}  // namespace kinetic::runner
