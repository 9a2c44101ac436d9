#pragma once

#include "base/clock.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace kinetic::runner {

/// A wait of one thread that others cut short.
///
/// @threads  Wait from one thread, Ring from any.
class Alarm {
 public:
  explicit Alarm(Clock& clock) : clock_(clock) {}

  /// Ends the wait that goes on, or else the next one.
  void Ring();

  /// Waits until it rings, at most so long.
  void Wait(std::optional<std::chrono::milliseconds> at_most);

 private:
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::stop_source rung_;
};

}  // namespace kinetic::runner
