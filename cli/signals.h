#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace kinetic::cli {

/// Turns SIGINT and SIGTERM into a stop request. The second signal ends the process at once.
/// SIGPIPE is ignored, so that writing to a closed pipe returns an error.
///
/// Create this object before any other thread, so that all threads block these signals.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token Interrupted() const { return stop_.get_token(); }
  /// Ends the process by SIGINT if that was the first signal, so that a shell also ends its loop or
  /// script.
  void ReraiseInterrupt() const;
  /// Sets the function to call, from a separate thread, when the terminal size changes. An empty
  /// function removes it.
  void OnResize(std::function<void()> resized);

 private:
  void Loop();

  std::stop_source stop_;
  std::atomic<int> first_signal_ = 0;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  std::function<void()> resized_;
  std::thread thread_;
};

}  // namespace kinetic::cli
