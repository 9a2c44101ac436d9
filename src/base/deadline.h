#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace kinetic {

/// Requests a stop after a time, or when `outer` does: for what knows no limit of its own.
class Deadline {
 public:
  Deadline(std::chrono::milliseconds patience, const std::stop_token& outer)
      : forward_(outer, [this] { source_.request_stop(); }),
        timer_([this, patience](const std::stop_token& ended) {
          std::unique_lock lock(mutex_);
          if (changed_.wait_for(lock, ended, patience, [] { return false; })) return;
          if (ended.stop_requested()) return;
          passed_ = true;
          source_.request_stop();
        }) {}

  std::stop_token token() const { return source_.get_token(); }
  /// Whether it was the time that requested the stop.
  bool passed() const { return passed_; }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::atomic<bool> passed_{false};
  std::jthread timer_;
};

}  // namespace kinetic
