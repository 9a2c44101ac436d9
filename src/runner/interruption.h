#pragma once

#include "base/clock.h"
#include "base/file_system.h"
#include "local/runtime.h"
#include "record/record.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <thread>

namespace kinetic::runner {

/// Why a job is to stop before its end.
enum class Cause : std::uint8_t {
  kNone,
  kCancelled,   ///< the file `cancel` was made
  kTerminated,  ///< the supervisor itself got SIGTERM, as when the machine shuts down
  kTooLate,     ///< timeouts.pending has passed before user code began
  kPreempted,   ///< its machine is wanted for something else; only a pod's collector can tell
};

/// When it is too late for a job to begin; nothing: never.
std::optional<WallTime> PendingUntil(const record::Record& record);

/// Waits beside the job for what should stop it, and requests a stop then. The first cause counts.
///
/// SIGTERM must be blocked in all threads: it is taken here.
///
/// @threads  safe to call concurrently.
class Interruption {
 public:
  /// @param pending_until  when it is too late to begin, by the clock's date.
  /// @errors  kResourceExhausted (descriptors, inotify watches).
  static Result<std::unique_ptr<Interruption>> Begin(const local::Runtime& runtime, Clock& clock,
                                                     std::optional<WallTime> pending_until);
  ~Interruption();

  std::stop_token stop() const { return source_.get_token(); }
  Cause cause() const { return cause_; }
  /// User code has begun: it can no longer be too late.
  void Begun();
  /// It is to begin until then.
  void BeginBy(WallTime pending_until);

 private:
  Interruption(Path cancel_file, Clock& clock, std::optional<WallTime> pending_until);
  Status Open();
  void Attend(const std::stop_token& stop);
  bool Look();
  void Stop(Cause cause);

  const Path cancel_file_;
  Clock& clock_;
  std::atomic<WallTime> pending_until_;
  std::atomic<bool> begun_;  ///< or it may begin at any time
  std::atomic<Cause> cause_ = Cause::kNone;
  std::stop_source source_;
  UniqueFd inotify_;
  UniqueFd signals_;
  UniqueFd wake_;
  std::jthread thread_;  ///< last: it uses all the others
};

}  // namespace kinetic::runner
