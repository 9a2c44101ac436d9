#pragma once

#include "kinetic/result.h"

#include "runner/devices/chips.h"
#include "runner/devices/probe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::runner {

/// Whether a job may start with the accelerators of its container.
struct DeviceCheckResult {
  std::optional<Error> fault;      ///< why it must not start
  std::vector<std::string> notes;  ///< lines for the log
};

/// Turns the reports of a job's frameworks into a result. The job must not start if no framework sees
/// the required accelerators. A framework that could not be probed lets it start. Pure.
///
/// @param required  chips that a framework must see; fewer than requested if the job limits its
///                  frameworks.
DeviceCheckResult ClassifyFrameworkReports(const Chips& requested, std::int64_t required,
                                           const std::vector<FrameworkReport>& reports,
                                           const std::optional<MissingChips>& missing);

}  // namespace kinetic::runner
