#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace kinetic::bundle {

/// Bounds the bytes of content that are in memory between a reader and a writer, wherever in the
/// chain between them they are.
///
/// @threads  safe to call concurrently.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t total) : total_(total) {}

  /// Waits until `bytes` are free (more than the total waits until all are); false when stopped.
  bool Acquire(std::uint64_t bytes, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto fits = [&] { return used_ == 0 || used_ + bytes <= total_; };
    if (!freed_.wait(lock, stop, fits)) return false;
    used_ += bytes;
    return true;
  }

  void Release(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
    freed_.notify_all();
  }

 private:
  const std::uint64_t total_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::uint64_t used_ = 0;
};

}  // namespace kinetic::bundle
