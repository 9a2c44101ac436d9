#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace kinetic::bundle {

/// Lets threads that work on numbered items in parallel pass one by one, in the order of the
/// numbers: what they do inside is the same in every run.
///
/// @threads  safe to call concurrently.
class Turnstile {
 public:
  /// Waits until all before `number` have left; false when stopped.
  bool Enter(std::uint64_t number, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return passed_.wait(lock, stop, [&] { return next_ == number; });
  }

  /// Lets the next one in. Who fails inside asks for a stop instead.
  void Leave() {
    const std::lock_guard lock(mutex_);
    ++next_;
    passed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any passed_;
  std::uint64_t next_ = 0;
};

}  // namespace kinetic::bundle
