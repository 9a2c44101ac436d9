#pragma once

#include "kinetic/result.h"

#include "base/files/unique_fd.h"
#include "base/time/clock.h"
#include "runner/log/capture.h"
#include "runner/program/memory_limit.h"
#include "runner/program/process.h"
#include "runner/program/runner.h"
#include "runner/program/shim_messages.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// The event loop for one program, from its start to the end of its last process. A program that awaits
/// calls calls its function several times; each call has a log and an exit of its own.
///
/// @threads  one thread, which lives as long as the program.
class ProgramMonitor {
 public:
  struct Context {
    LogCapture* capture;  ///< null before the first call
    Clock& clock;
    const ProgramLimits& limits;
    const ProgramCallbacks& callbacks;
    MemoryLimit& memory;
  };

  /// @param exchange  Program::exchange.
  ProgramMonitor(const Context& context, RunningProgram program, Path exchange);

  /// Returns when no process of the program is left.
  Result<ProgramExit> Run(std::stop_token stop);

  /// Lets a program that awaits calls make one, and returns when it has ended, or when the program has.
  ///
  /// @param request    a line for the shim.
  /// @param capture    receives the output of this call.
  /// @param callbacks  of this call.
  Result<ProgramExit> Call(std::string_view request, LogCapture& capture,
                           const ProgramCallbacks& callbacks, std::stop_token stop);
  /// Returns whether the program can make another call.
  bool CanCall() const { return !ended_ && ending_ == Ending::kNone && control_works_; }
  /// Tells a program that awaits calls that there are no more.
  void EndCalls() { program_.control.Reset(); }

 private:
  /// Whether processes are being terminated.
  enum class Ending : std::uint8_t { kNone, kTerminating, kKilling };

  Status RunUntil(const std::function<bool()>& done, const std::stop_token& stop);
  Status Step(const std::stop_token& stop);
  Status Drain();
  void SendRequest(std::string_view request);
  int WaitMs() const;
  void Wait();
  Status ReadStreams();
  Status ReadStream(UniqueFd& fd, Stream stream);
  void ReadControl();
  void ReadControlFile();
  void OnMessage(ShimMessage message);
  void Reap();
  void CheckLimits(const std::stop_token& stop);
  std::optional<SteadyTime> RunEnd() const;
  std::optional<SteadyTime> Deadline() const;
  void Terminate();
  void Kill();
  void AdvanceEnding();
  Status ReportGrace();
  Status ReportMemoryKill();
  void OnProgramEnded();
  bool Done() const;
  Result<ProgramExit> Finish();

  LogCapture* capture_;
  Clock& clock_;
  const ProgramLimits& limits_;
  const ProgramCallbacks* callbacks_;
  MemoryLimit& memory_;
  RunningProgram program_;
  const Path exchange_;
  UniqueFd wake_;
  ShimParser parser_;
  ProgramExit exit_;
  std::vector<char> buffer_;
  SteadyTime started_;
  SteadyTime now_;
  SteadyTime last_output_;
  SteadyTime next_sample_;              ///< of the memory
  std::optional<SteadyTime> returned_;  ///< when the shim sent its final message
  std::optional<SteadyTime> ended_;     ///< when the program was reaped
  std::optional<SteadyTime> terminated_;
  Ending ending_ = Ending::kNone;
  bool all_ended_ = false;
  bool control_works_ = true;
  bool call_ended_ = false;
  bool has_read_ = false;
  bool grace_reported_ = false;
  bool memory_kill_seen_ = false;
  bool memory_kill_reported_ = false;
};

}  // namespace kinetic::runner
