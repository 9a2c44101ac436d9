#pragma once

#include "kinetic/result.h"

#include "runner/launcher.h"
#include "runner/program.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// The packages that a job brings to its image, which the launcher makes a virtual environment of.
struct OrderedEnvironment {
  Path root;           ///< where the collector has laid them down
  std::string python;  ///< "3.12": the version that they are for
};

/// What the launcher of a pod is to run. Nothing in it is secret: the values of secrets are in the
/// launcher's own environment.
struct ProgramOrder {
  std::string job_id;
  std::uint32_t attempt = 1;
  std::uint64_t first_sequence = 0;  ///< of the attempt's log
  Program program;                   ///< with what is added to the container's environment
  std::vector<std::string> joined;   ///< variables that the container's own value is appended to
  std::vector<std::string> secrets;  ///< names
  std::string python;  ///< of a function: the version that is wanted, "3.12"; may be empty
  std::string image;   ///< for messages; may be empty
  std::optional<OrderedEnvironment> environment;
  LaunchLimits limits;
  std::vector<std::string> notes;  ///< lines for the log, before the program begins
};

std::string ToJson(const ProgramOrder& order);
/// @errors  kDataLoss.
Result<ProgramOrder> ProgramOrderFromJson(std::string_view json);

/// The program's whole environment.
///
/// @param container  the launcher's own.
std::map<std::string, std::string> EnvironmentOf(
    const ProgramOrder& order, const std::map<std::string, std::string>& container);

}  // namespace kinetic::runner
