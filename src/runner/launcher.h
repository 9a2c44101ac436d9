#pragma once

#include "base/clock.h"
#include "base/subprocess.h"
#include "runner/log_capture.h"
#include "runner/program.h"
#include "runner/shim_messages.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

struct LaunchLimits {
  std::optional<std::chrono::milliseconds> run;  ///< of user code
  std::chrono::milliseconds grace{30'000};       ///< between SIGTERM and SIGKILL
  std::optional<std::uint64_t> memory_bytes;
  bool own_container = false;  ///< the memory is the container's, which others have limited
};

/// Until when a program that did not exit after its function had returned was let run.
enum class Lingered : std::uint8_t { kNot, kGrace, kRunLimit };

/// How a program ended, and who wanted it to.
struct ProgramEnd {
  ExitStatus exit;
  bool stopped = false;        ///< by the stop request
  bool out_of_time = false;    ///< by limits.run
  bool out_of_memory = false;  ///< by limits.memory_bytes
  Lingered lingered = Lingered::kNot;
  std::size_t left_behind = 0;  ///< processes that were still there when it ended
  std::uint64_t peak_memory_bytes = 0;
  std::vector<ShimMessage> messages;   ///< of a function's shim
  std::optional<Error> control_fault;  ///< the control pipe carried something else
};

/// What is told of a program while it runs, on the thread that runs it.
struct LaunchEvents {
  std::function<void()> started;   ///< the program runs
  std::function<void()> returned;  ///< its function has: exchange/value.json is complete
};

/// The half of the runner that is with the program: starts it, captures its streams, holds it to
/// its limits, ends all its processes and reaps them. Knows no store.
///
/// The process that it works in must be a child subreaper, so that what daemonises stays its own.
///
/// @threads  one thread, which lives as long as the program.
class Launcher {
 public:
  Launcher(LogCapture& capture, Clock& clock) : capture_(capture), clock_(clock) {}

  /// Runs a program to its end and until nothing of it is left. A stop request is SIGTERM to all
  /// its processes and, after the grace period, SIGKILL.
  ///
  /// @param name  of the job, for the cgroup.
  /// @errors  those of StartProgram; of the spool (then the program has been ended).
  Result<ProgramEnd> Run(const Program& program, const LaunchLimits& limits, std::string_view name,
                         const LaunchEvents& events, std::stop_token stop);

 private:
  LogCapture& capture_;
  Clock& clock_;
};

}  // namespace kinetic::runner
