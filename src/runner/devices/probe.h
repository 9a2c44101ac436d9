#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "runner/devices/chips.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// How frameworks are probed for the accelerators that they see.
struct DeviceProbe {
  ChipKind kind = ChipKind::kTpu;
  Path python;                                     ///< with which the program will run
  std::map<std::string, std::string> environment;  ///< the program's
  Path working_directory;                          ///< the program's
  std::chrono::milliseconds timeout{60'000};       ///< for each framework
};

/// The devices that a framework sees in its container.
struct FrameworkReport {
  enum class Kind : std::uint8_t {
    kNotInstalled,
    kReported,
    kFailed,  ///< the framework could not be probed
  };

  std::string framework;  ///< "jax"
  Kind kind = Kind::kNotInstalled;
  std::string version;                          ///< "0.5.3"
  std::map<std::string, std::int64_t> devices;  ///< count by platform: "cpu", "tpu", "gpu"
  bool supported = false;  ///< what it needs for the job's accelerators is installed
  std::string message;     ///< the last line of its output; for kFailed, the cause
};

/// Probes frameworks ("jax", "torch") in parallel, each in its own process. The processes have
/// ended and released the accelerators when it returns. None of the job's own modules is imported.
///
/// @returns  one report per framework, in their order.
/// @errors   kCancelled.
Result<std::vector<FrameworkReport>> ProbeFrameworks(const DeviceProbe& probe,
                                                     const std::vector<std::string>& frameworks,
                                                     const std::stop_token& stop);

/// Parses the output of probe/device_probe.py. Returns nullopt if it is incomplete.
std::optional<FrameworkReport> ParseFrameworkReport(std::string_view framework,
                                                    std::string_view output,
                                                    std::string_view errors);

/// Returns the last line of a text that is not empty, shortened for a message.
std::string LastLine(std::string_view text);

}  // namespace kinetic::runner
