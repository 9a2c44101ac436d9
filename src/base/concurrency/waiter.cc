#include "base/concurrency/waiter.h"

namespace kinetic {

void Waiter::Wake() {
  const std::lock_guard lock(mutex_);
  woken_.request_stop();
  changed_.notify_all();
}

void Waiter::Wait(std::optional<std::chrono::milliseconds> timeout) {
  std::unique_lock lock(mutex_);
  if (timeout) {
    const std::stop_token woken = woken_.get_token();
    lock.unlock();
    (void)clock_.Sleep(*timeout, woken);
    lock.lock();
  } else {
    changed_.wait(lock, [this] { return woken_.stop_requested(); });
  }
  if (woken_.stop_requested()) woken_ = std::stop_source();
}

}  // namespace kinetic
