#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace kinetic::cli {

/// Turns SIGINT and SIGTERM into a stop request. The second signal ends the process at once, with
/// exit code 130. SIGPIPE is ignored, so that writing to a closed pipe returns an error.
///
/// Create this object before any other thread, so that all threads block these signals.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token Interrupted() const { return stop_.get_token(); }
  /// Sets the function to call, from a separate thread, when the terminal size changes. An empty
  /// function removes it.
  void OnResize(std::function<void()> resized);

 private:
  void Loop();

  std::stop_source stop_;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  std::function<void()> resized_;
  std::thread thread_;
};

}  // namespace kinetic::cli
