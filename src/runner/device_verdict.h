#pragma once

#include "kinetic/result.h"

#include "runner/chip_check.h"
#include "runner/chips.h"
#include "runner/device_answer.h"

#include <optional>
#include <string>
#include <vector>

namespace kinetic::runner {

/// Whether a job may begin with what its container has of accelerators.
struct DeviceVerdict {
  std::optional<Error> fault;      ///< it may not
  std::vector<std::string> notes;  ///< lines for the log
};

/// What the answers of a job's frameworks mean for it. It may not begin when no framework sees as
/// many accelerators as were asked for; one that could not be asked is taken at no word, and lets
/// it. Pure.
///
/// @param enough   how many a framework has to see: the job may have told its frameworks to use
///                 fewer than it asked for.
/// @param missing  as FindMissingChips says.
DeviceVerdict JudgeDevices(const Chips& asked, std::int64_t enough,
                           const std::vector<DeviceAnswer>& answers,
                           const std::optional<MissingChips>& missing);

}  // namespace kinetic::runner
