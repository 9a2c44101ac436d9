#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace kinetic::cli {

/// Turns SIGINT and SIGTERM into a stop request. The second one ends the process at once, with 130.
/// SIGPIPE is ignored: a write to a pipe without a reader is an error like others.
///
/// Made before any other thread, so that all of them have these signals blocked.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token Interrupted() const { return stop_.get_token(); }
  /// Called from a thread of its own when the terminal has another size; an empty one ends that.
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
