#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "local/runtime.h"
#include "record/job_record.h"
#include "runner/outcome/classify.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <thread>

namespace kinetic::runner {

/// Blocks SIGTERM, which an Interruption reads, and ignores the signals of terminals and of closed
/// pipes. Call it before other threads start.
void PrepareSignals();

/// Returns the time by which user code must start, or nullopt without timeouts.pending.
std::optional<WallTime> StartDeadline(const record::Record& record);

/// Waits on its own thread for a reason to stop the job, and then requests a stop. The first reason
/// wins. SIGTERM must be blocked in all threads.
///
/// @threads  safe to call concurrently.
class Interruption {
 public:
  /// @errors  kResourceExhausted (descriptors, inotify watches).
  static Result<std::unique_ptr<Interruption>> Start(const local::Runtime& runtime, Clock& clock,
                                                     std::optional<WallTime> start_deadline);
  ~Interruption();

  std::stop_token stop() const { return source_.get_token(); }
  StopReason reason() const { return reason_; }
  /// Drops the start deadline: user code has started.
  void OnProgramStarted();
  /// Sets the time by which user code must start.
  void SetStartDeadline(WallTime deadline);

 private:
  Interruption(Path cancel_file, Clock& clock, std::optional<WallTime> start_deadline);
  Status Open();
  void Watch(const std::stop_token& stop);
  bool Poll();
  void Stop(StopReason reason);

  const Path cancel_file_;
  Clock& clock_;
  std::atomic<WallTime> start_deadline_;
  std::atomic<bool> started_;  ///< true also without a start deadline
  std::atomic<StopReason> reason_ = StopReason::kNone;
  std::stop_source source_;
  UniqueFd inotify_;
  UniqueFd signals_;
  UniqueFd wake_;
  std::jthread thread_;  ///< last: it uses all other members
};

}  // namespace kinetic::runner
