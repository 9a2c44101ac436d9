#include "support/fake_clock.h"

namespace kinetic::test {

using std::chrono::duration_cast;

FakeClock::FakeClock(bool automatic)
    : automatic_(automatic), wall_(std::chrono::sys_days(std::chrono::year(2030) / 1 / 1)) {}

WallTime FakeClock::Now() const {
  const std::lock_guard lock(mutex_);
  return wall_;
}

SteadyTime FakeClock::Steady() const {
  const std::lock_guard lock(mutex_);
  return steady_;
}

Status FakeClock::Sleep(std::chrono::milliseconds duration, std::stop_token stop) {
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped while waiting");
  if (automatic_) {
    Advance(duration);
    return {};
  }
  std::unique_lock lock(mutex_);
  const SteadyTime until = steady_ + duration;
  if (!advanced_.wait(lock, stop, [&] { return steady_ >= until; })) {
    return Fail(ErrorCode::kCancelled, "stopped while waiting");
  }
  return {};
}

void FakeClock::Advance(std::chrono::nanoseconds duration) {
  const std::lock_guard lock(mutex_);
  wall_ += duration_cast<WallTime::duration>(duration);
  steady_ += duration_cast<SteadyTime::duration>(duration);
  advanced_.notify_all();
}

void FakeClock::Jump(std::chrono::nanoseconds duration) {
  const std::lock_guard lock(mutex_);
  wall_ += duration_cast<WallTime::duration>(duration);
}

}  // namespace kinetic::test
