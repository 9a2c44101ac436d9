#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"
#include "runner/log/capture.h"
#include "runner/program/memory_limit.h"
#include "runner/program/monitor.h"
#include "runner/program/process.h"
#include "runner/program/runner.h"

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// A Python program that calls its function several times, one call after the other, so that modules are
/// imported and devices are opened once. State that a call leaves in the modules is seen by the next
/// ones.
///
/// The calling process must be a child subreaper.
///
/// @threads  one thread, which lives as long as the program.
class ProgramSession {
 public:
  /// Starts the program, which waits for its first call.
  ///
  /// @param program  a Python function's.
  /// @param name     of the cgroup; unique on the machine.
  /// @errors         those of StartProgram.
  static Result<std::unique_ptr<ProgramSession>> Start(Program program, const ProgramLimits& limits,
                                                       std::string_view name, Clock& clock);
  /// Ends the program and all its processes.
  ~ProgramSession();
  ProgramSession(const ProgramSession&) = delete;
  ProgramSession& operator=(const ProgramSession&) = delete;

  /// Calls the function with the arguments in the exchange folder. A stop request, and a limit, end the
  /// program.
  ///
  /// @param environment  variables that differ from those of the call before.
  /// @param capture      receives the output of this call.
  /// @errors             those of the spool, after the program has been killed.
  Result<ProgramExit> Call(const std::map<std::string, std::string>& environment,
                           LogCapture& capture, const ProgramCallbacks& callbacks,
                           std::stop_token stop);

  /// Returns whether the program runs and can make another call.
  bool CanCall() const { return monitor_->CanCall(); }

 private:
  explicit ProgramSession(const ProgramLimits& limits) : limits_(limits) {}

  const ProgramLimits limits_;
  const ProgramCallbacks no_callbacks_ = {};
  std::unique_ptr<MemoryLimit> memory_;
  std::optional<ProgramMonitor> monitor_;
};

}  // namespace kinetic::runner
