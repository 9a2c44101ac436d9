#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace kinetic::cli {

/// Calls a function again and again from a thread of its own, for as long as it asks to be.
///
/// @threads  safe to call concurrently, also from `tick`.
class Ticker {
 public:
  /// @param tick  returns whether it wants to be called again after another `period`.
  Ticker(std::chrono::milliseconds period, std::function<bool()> tick)
      : period_(period), tick_(std::move(tick)) {}

  /// Makes sure that `tick` is called within a period from now.
  void Wake();

  /// Waits for a call that is under way; after it there are no more.
  void Stop();

 private:
  void Loop(std::stop_token stop);

  const std::chrono::milliseconds period_;
  const std::function<bool()> tick_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false;
  bool stopped_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace kinetic::cli
