#pragma once

#include "base/files/file_system.h"
#include "local/runtime.h"

#include <chrono>
#include <optional>

/// Signs of life of a supervisor, in the file `pulse` of its runtime directory. That its process
/// exists is no sign: it may be stopped, frozen, or wait for a device. The file contains the steady
/// time of this machine, which is the same for all processes and never jumps.
namespace kinetic::local {

/// Time between two signs of life.
inline constexpr std::chrono::seconds kPulseInterval{15};
/// A supervisor without a sign of life for this time does not respond.
inline constexpr std::chrono::seconds kPulseTimeout{60};

/// Writes signs of life into the runtime directory of the calling supervisor.
///
/// @threads  one thread at a time.
class Pulse {
 public:
  Pulse(FileSystem& fs, const Runtime& runtime);

  /// Writes a sign of life if the last one is old enough.
  ///
  /// @returns  false if the runtime directory was removed.
  bool Beat();

 private:
  FileSystem& fs_;
  const Path folder_;
  const Path file_;
  UniqueFd fd_;
  std::optional<std::chrono::steady_clock::time_point> last_;
};

/// Returns the time since the last sign of life, or nullopt if it is unknown.
std::optional<std::chrono::seconds> PulseAge(FileSystem& fs, const Runtime& runtime);

/// Returns whether the supervisor of a runtime directory does not respond, or the directory was
/// removed.
bool IsSilent(FileSystem& fs, const Runtime& runtime);

}  // namespace kinetic::local
