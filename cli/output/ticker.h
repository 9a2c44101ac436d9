#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace kinetic::cli {

/// Calls a function periodically from its own thread, until the function returns false.
///
/// @threads  safe to call concurrently, also from `tick`.
class Ticker {
 public:
  /// @param tick  returns whether to call it again after another `period`.
  Ticker(std::chrono::milliseconds period, std::function<bool()> tick)
      : period_(period), tick_(std::move(tick)) {}

  /// Ensures that `tick` is called within one period from now.
  void Wake();

  /// Waits for a call in progress and prevents further calls.
  void Stop();

 private:
  void Loop(std::stop_token stop);

  const std::chrono::milliseconds period_;
  const std::function<bool()> tick_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false;
  bool stopped_ = false;
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace kinetic::cli
