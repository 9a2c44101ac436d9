#include "base/clock.h"

#include <condition_variable>
#include <mutex>

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
  static MachineClock clock;
  return clock;
}

}  // namespace kinetic
