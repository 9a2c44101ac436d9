#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "runner/devices/chips.h"
#include "runner/devices/probe.h"
#include "runner/program/process.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// Whether a job may start with the accelerators of its container.
struct DeviceCheckResult {
  std::optional<Error> fault;      ///< why it must not start
  std::vector<std::string> notes;  ///< lines for the log
};

/// Turns the reports of a job's frameworks into a result. The job must not start if no framework
/// sees the required accelerators. A framework that could not be probed lets it start. Pure.
///
/// @param required  chips that a framework must see; fewer than requested if the job limits its
///                  frameworks.
DeviceCheckResult ClassifyFrameworkReports(const Chips& requested, std::int64_t required,
                                           const std::vector<FrameworkReport>& reports,
                                           const std::optional<MissingChips>& missing);

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

/// Checks that the frameworks of a program's Python see the accelerators, before any code of the
/// job runs. Where no framework can be probed, device files are counted.
///
/// @errors  kCancelled.
Result<DeviceCheckResult> CheckDevices(FileSystem& fs, const DeviceCheck& check,
                                       const std::stop_token& stop);

}  // namespace kinetic::runner
