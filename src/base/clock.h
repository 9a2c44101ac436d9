#pragma once

#include "kinetic/result.h"

#include <chrono>
#include <stop_token>

namespace kinetic {

using WallTime = std::chrono::system_clock::time_point;
using SteadyTime = std::chrono::steady_clock::time_point;

/// Time as the code sees it; tests put a fake one in its place.
///
/// @threads  safe to call concurrently.
class Clock {
 public:
  virtual ~Clock() = default;

  /// The date, in UTC; may jump.
  virtual WallTime Now() const = 0;

  /// For measuring and for deadlines; never goes back.
  virtual SteadyTime Steady() const = 0;

  /// Waits, or returns kCancelled as soon as `stop` is requested.
  virtual Status Sleep(std::chrono::milliseconds duration, std::stop_token stop) = 0;
};

/// The machine's clock; lives as long as the program.
Clock& SystemClock();

}  // namespace kinetic
