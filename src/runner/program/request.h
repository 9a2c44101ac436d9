#pragma once

#include "kinetic/result.h"

#include "runner/program/process.h"
#include "runner/program/runner.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// The packages that a job brings to its image, from which the launcher creates a virtual
/// environment.
struct PackageEnvironment {
  Path root;           ///< the folder where the collector unpacked them
  std::string python;  ///< the Python version that they are for: "3.12"
};

/// program.json: what the launcher of a pod runs. Contains no secrets; the launcher finds their
/// values in its own environment.
struct ProgramRequest {
  std::string job_id;
  std::uint32_t attempt = 1;
  std::uint64_t first_sequence = 0;   ///< of the attempt's log
  Program program;                    ///< its environment is added to the container's
  std::vector<std::string> joined;    ///< variables to which the container's value is appended
  std::vector<std::string> defaults;  ///< variables that do not replace those of the container
  std::vector<std::string> secrets;   ///< names
  std::string python;                 ///< requested version for a function, "3.12"; may be empty
  std::string image;                  ///< for messages; may be empty
  std::optional<PackageEnvironment> environment;
  ProgramLimits limits;
  std::vector<std::string> notes;  ///< log lines before the program starts
  bool makes_calls = false;  ///< a function's program may stay, and call it for the next tasks, too
};

std::string ToJson(const ProgramRequest& request);
/// @errors  kDataLoss.
Result<ProgramRequest> ProgramRequestFromJson(std::string_view json);

/// Returns the program's complete environment.
///
/// @param container  the launcher's own.
std::map<std::string, std::string> ProgramEnvironment(
    const ProgramRequest& request, const std::map<std::string, std::string>& container);

/// Where GKE mounts a node's GPU driver.
inline constexpr std::string_view kNvidiaFolder = "/usr/local/nvidia";

/// Appends a GPU driver's libraries and programs to LD_LIBRARY_PATH and PATH if `folder` exists.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/gpus#cuda
void AddDriverPaths(FileSystem& fs, const Path& folder,
                    std::map<std::string, std::string>& environment);

}  // namespace kinetic::runner
