#include "output/ticker.h"

namespace kinetic::cli {

void Ticker::Wake() {
  const std::lock_guard lock(mutex_);
  if (wanted_ || stopped_) return;
  wanted_ = true;
  if (!thread_.joinable())
    thread_ = std::jthread([this](std::stop_token stop) { Loop(std::move(stop)); });
  else
    changed_.notify_all();
}

void Ticker::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Ticker::Loop(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return wanted_; })) {
    // Only a stop request ends this wait early.
    changed_.wait_for(lock, stop, period_, [] { return false; });
    if (stop.stop_requested()) return;
    wanted_ = false;
    lock.unlock();
    const bool again = tick_();
    lock.lock();
    wanted_ = wanted_ || again;
  }
}

}  // namespace kinetic::cli
