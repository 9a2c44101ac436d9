#include "base/time/clock.h"

#include "base/never_destroyed.h"

namespace kinetic {
namespace {

class MachineClock final : public Clock {
 public:
  WallTime Now() const override { return std::chrono::system_clock::now(); }
  SteadyTime Steady() const override { return std::chrono::steady_clock::now(); }

  Status Sleep(std::chrono::milliseconds duration, std::stop_token stop) override {
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock lock(mutex);
    if (woken.wait_for(lock, stop, duration, [&] { return stop.stop_requested(); })) {
      return Fail(ErrorCode::kCancelled, "stopped while waiting");
    }
    return {};
  }
};

}  // namespace

Clock& SystemClock() {
  static auto& clock = NeverDestroyed<MachineClock>();
  return clock;
}

Deadline::Deadline(std::chrono::milliseconds timeout, const std::stop_token& outer)
    : forward_(outer, [this] { source_.request_stop(); }),
      timer_([this, timeout](const std::stop_token& destroyed) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, destroyed, timeout, [] { return false; });
        if (destroyed.stop_requested()) return;
        expired_ = true;
        source_.request_stop();
      }) {}

}  // namespace kinetic
