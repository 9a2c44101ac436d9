#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "local/pulse.h"
#include "local/runtime.h"
#include "record/job_record.h"
#include "runner/outcome/classify.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace kinetic::runner {

/// Blocks SIGTERM and SIGCONT, which an Interruption reads, and ignores the signals of terminals and of closed
/// pipes. Call it before other threads start.
void PrepareSignals();

/// Waits for one of these signals, and returns it, or -1.
int AwaitWatchedSignal(std::chrono::milliseconds timeout);
/// Same, and also waits for the end of a child. SIGCHLD must be blocked.
int AwaitSignalOrChild(std::chrono::milliseconds timeout);

/// Returns the time by which user code must start, counted from now, because the client that wrote
/// the record may have another clock. Nullopt without timeouts.pending.
std::optional<SteadyTime> StartDeadline(const record::Record& record, const Clock& clock);

/// Waits on its own thread for a reason to stop the job, and then requests a stop. The first reason
/// wins. Polls for the request of a client, which sends SIGCONT to be noticed at once. Both signals
/// must be blocked in all threads.
///
/// @threads  safe to call concurrently.
class Interruption {
 public:
  /// @param pulse  written while this object lives, for a supervisor. If its folder is removed, the
  ///               job is stopped.
  /// @errors  kResourceExhausted (descriptors).
  static Result<std::unique_ptr<Interruption>> Start(const local::Runtime& runtime, Clock& clock,
                                                     std::optional<SteadyTime> start_deadline,
                                                     std::optional<local::Pulse> pulse = {});
  ~Interruption();

  std::stop_token stop() const { return source_.get_token(); }
  StopReason reason() const { return reason_; }
  /// Returns whether SIGTERM was received, also after another reason.
  bool terminated() const { return terminated_; }
  /// Drops the start deadline: user code has started.
  void OnProgramStarted();
  /// Sets what is called on SIGCONT. After the call, the previous function is no longer used.
  void SetOnRequest(std::function<void()> on_request);
  /// Sets the time by which user code must start.
  void SetStartDeadline(SteadyTime deadline);

 private:
  Interruption(Path cancel_file, Clock& clock, std::optional<SteadyTime> start_deadline,
               std::optional<local::Pulse> pulse);
  Status Open();
  void Watch(const std::stop_token& stop);
  void Poll();
  void Stop(StopReason reason);

  const Path cancel_file_;
  std::mutex mutex_;                  ///< of on_request_
  std::function<void()> on_request_;  ///< may be empty
  Clock& clock_;
  std::atomic<SteadyTime> start_deadline_;
  std::atomic<bool> started_;  ///< true also without a start deadline
  std::atomic<StopReason> reason_ = StopReason::kNone;
  std::atomic<bool> terminated_ = false;
  std::stop_source source_;
  std::optional<local::Pulse> pulse_;
  UniqueFd signals_;
  UniqueFd wake_;
  std::jthread thread_;  ///< last: it uses all other members
};

}  // namespace kinetic::runner
