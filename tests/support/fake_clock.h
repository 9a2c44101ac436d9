#pragma once

#include "base/time/clock.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace kinetic::test {

/// A clock that only advances on request. Sleep returns once the time has been advanced far enough.
/// In automatic mode it advances the time itself.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(bool automatic = true);

  WallTime Now() const override;
  SteadyTime Steady() const override;
  Status Sleep(std::chrono::milliseconds duration, std::stop_token stop) override;

  /// Advances both clocks.
  void Advance(std::chrono::nanoseconds duration);
  /// Advances only the wall clock, which may move backward.
  void Jump(std::chrono::nanoseconds duration);

 private:
  const bool automatic_;
  mutable std::mutex mutex_;
  std::condition_variable_any advanced_;
  WallTime wall_;
  SteadyTime steady_;
};

/// The clock of a machine with another date, which may change at any time.
class SkewedClock final : public Clock {
 public:
  /// @param skew  returns the difference to `clock`, which must outlive the object.
  SkewedClock(Clock& clock, std::function<WallTime::duration()> skew)
      : clock_(clock), skew_(std::move(skew)) {}

  WallTime Now() const override { return clock_.Now() + skew_(); }
  SteadyTime Steady() const override { return clock_.Steady(); }
  Status Sleep(std::chrono::milliseconds duration, std::stop_token stop) override {
    return clock_.Sleep(duration, std::move(stop));
  }

 private:
  Clock& clock_;
  const std::function<WallTime::duration()> skew_;
};

}  // namespace kinetic::test
