#pragma once

#include "base/process/subprocess.h"
#include "base/time/clock.h"
#include "runner/log/capture.h"
#include "runner/program/process.h"
#include "runner/program/shim_messages.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

struct ProgramLimits {
  std::optional<std::chrono::milliseconds> run;  ///< run time of user code
  std::chrono::milliseconds grace{30'000};       ///< between SIGTERM and SIGKILL
  std::optional<std::uint64_t> memory_bytes;
  bool own_container = false;  ///< the container's memory limit applies instead
};

/// Which limit ended a program that kept running after its function had returned or raised.
enum class LingerLimit : std::uint8_t { kNone, kGrace, kRunLimit };

/// How a program ended, and why. Contains no secrets.
struct ProgramExit {
  ExitStatus status;
  bool stopped = false;        ///< by a stop request
  bool timed_out = false;      ///< by limits.run
  bool out_of_memory = false;  ///< by limits.memory_bytes
  LingerLimit lingered = LingerLimit::kNone;
  std::size_t remaining_processes = 0;  ///< processes that remained when the program ended
  std::uint64_t peak_memory_bytes = 0;
  std::vector<ShimMessage> messages;   ///< from a function's shim
  std::optional<Error> control_fault;  ///< invalid data on the control pipe
  std::string python_error;            ///< LogCapture::python_error
};

/// Called while a program runs, on the thread that runs it.
struct ProgramCallbacks {
  std::function<void()> started;
  std::function<void()> returned;  ///< the function returned: exchange/value.json is complete
};

/// The part of the runner that handles the program: starts it, captures its streams, enforces its
/// limits, terminates all its processes and reaps them. It does not access the store.
///
/// The calling process must be a child subreaper, so that daemonized processes stay its
/// descendants.
///
/// @threads  one thread, which lives as long as the program.
class ProgramRunner {
 public:
  ProgramRunner(LogCapture& capture, Clock& clock) : capture_(capture), clock_(clock) {}

  /// Runs a program until no process of it is left. On a stop request all its processes receive
  /// SIGTERM, and SIGKILL after the grace period.
  ///
  /// @param name  of the cgroup; unique on the machine.
  /// @errors  those of StartProgram; those of the spool, after the program has been killed.
  Result<ProgramExit> Run(const Program& program, const ProgramLimits& limits,
                          std::string_view name, const ProgramCallbacks& callbacks,
                          std::stop_token stop);

 private:
  LogCapture& capture_;
  Clock& clock_;
};

}  // namespace kinetic::runner
