#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace kinetic::bundle {

/// Serialises a section of threads that process numbered items in parallel, in the order of the
/// numbers, so that its result is deterministic.
///
/// @threads  safe to call concurrently.
class OrderedGate {
 public:
  /// Waits until all smaller numbers have left. Returns false if stopped.
  bool Enter(std::uint64_t number, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return passed_.wait(lock, stop, [&] { return next_ == number; });
  }

  /// Admits the next number. A thread that fails inside must request a stop instead.
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
