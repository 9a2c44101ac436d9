#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace kinetic {

/// Serializes a section of threads that process numbered items in parallel, in the order of the
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

/// Bounds the bytes of content in memory between a reader and a writer.
///
/// @threads  safe to call concurrently.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t total) : total_(total) {}

  /// Waits until `bytes` are free; if `bytes` exceeds the total, until all are. Returns false if
  /// stopped.
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

}  // namespace kinetic
