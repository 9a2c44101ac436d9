#pragma once

#include "base/time/clock.h"

#include <condition_variable>
#include <mutex>

namespace kinetic::test {

/// A clock that goes only when told to. Sleep returns when the time has been advanced far enough,
/// or at once in the automatic mode, which advances it.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(bool automatic = true);

  WallTime Now() const override;
  SteadyTime Steady() const override;
  Status Sleep(std::chrono::milliseconds duration, std::stop_token stop) override;

  /// Moves both clocks forward.
  void Advance(std::chrono::nanoseconds duration);
  /// Moves the date alone, forward or back.
  void Jump(std::chrono::nanoseconds duration);

 private:
  const bool automatic_;
  mutable std::mutex mutex_;
  std::condition_variable_any advanced_;
  WallTime wall_;
  SteadyTime steady_;
};

}  // namespace kinetic::test
