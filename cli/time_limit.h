#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace kinetic::cli {

/// Sleeps for `duration`, or until a stop is requested.
inline void SleepFor(std::chrono::milliseconds duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
}

/// Requests a stop after a time limit, or when `outer` requests one.
class TimeLimit {
 public:
  TimeLimit(std::chrono::milliseconds limit, const std::stop_token& outer)
      : forward_(outer, [this] { source_.request_stop(); }),
        timer_([this, limit](const std::stop_token& ended) {
          SleepFor(limit, ended);
          source_.request_stop();
        }) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::jthread timer_;
};

}  // namespace kinetic::cli
