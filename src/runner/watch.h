#pragma once

#include "base/clock.h"
#include "runner/launcher.h"
#include "runner/memory_limit.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace kinetic::runner {

/// Attends one program from its start to the end of its last process: the launcher's event loop.
///
/// @threads  one thread.
class Watch {
 public:
  struct Surroundings {
    LogCapture& capture;
    Clock& clock;
    const LaunchLimits& limits;
    const LaunchEvents& events;
    MemoryLimit& memory;
  };

  Watch(const Surroundings& surroundings, RunningProgram program);

  Result<ProgramEnd> Run(std::stop_token stop);

 private:
  /// What is being done about processes that are to go.
  enum class Ending : std::uint8_t { kNot, kAsked, kForced };

  Status Step(const std::stop_token& stop);
  int WaitMs() const;
  void Wait();
  Status ReadStreams();
  Status ReadStream(UniqueFd& fd, Stream stream);
  void ReadControl();
  void Hear(ShimMessage message);
  void Reap();
  void CheckLimits(const std::stop_token& stop);
  std::optional<SteadyTime> RunEnd() const;
  std::optional<SteadyTime> Deadline() const;
  void Ask();
  void Force();
  void AdvanceEnding();
  void OnProgramEnded();
  bool Done() const;
  Result<ProgramEnd> Finish();

  LogCapture& capture_;
  Clock& clock_;
  const LaunchLimits& limits_;
  const LaunchEvents& events_;
  MemoryLimit& memory_;
  RunningProgram program_;
  UniqueFd wake_;
  ShimParser parser_;
  ProgramEnd end_;
  std::vector<char> buffer_;
  SteadyTime started_;
  SteadyTime now_;
  SteadyTime last_output_;
  SteadyTime next_look_;                ///< at the memory
  std::optional<SteadyTime> returned_;  ///< when the function had nothing more to say
  std::optional<SteadyTime> ended_;     ///< when the program itself was reaped
  std::optional<SteadyTime> asked_;
  Ending ending_ = Ending::kNot;
  bool none_left_ = false;
  bool read_much_ = false;
};

}  // namespace kinetic::runner
