#include "runner/alarm.h"

namespace kinetic::runner {

void Alarm::Ring() {
  const std::lock_guard lock(mutex_);
  rung_.request_stop();
  changed_.notify_all();
}

void Alarm::Wait(std::optional<std::chrono::milliseconds> at_most) {
  std::unique_lock lock(mutex_);
  if (at_most) {
    const std::stop_token rung = rung_.get_token();
    lock.unlock();
    (void)clock_.Sleep(*at_most, rung);
    lock.lock();
  } else {
    changed_.wait(lock, [this] { return rung_.stop_requested(); });
  }
  if (rung_.stop_requested()) rung_ = std::stop_source();
}

}  // namespace kinetic::runner
