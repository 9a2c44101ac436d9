#pragma once

#include "base/time/clock.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace kinetic {

/// A wait of one thread that other threads can end early.
///
/// @threads  Wait from one thread, Wake from any.
class Waiter {
 public:
  explicit Waiter(Clock& clock) : clock_(clock) {}

  /// Ends the current wait, or else the next one.
  void Wake();

  /// Waits for Wake, at most `timeout`.
  void Wait(std::optional<std::chrono::milliseconds> timeout);

 private:
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::stop_source woken_;
};

}  // namespace kinetic
