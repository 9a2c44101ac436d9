#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace kinetic::cli {

/// Turns SIGINT and SIGTERM into a stop request. A later signal ends the process at once; within a
/// second it counts as a copy of the first, because some programs signal both a process and its
/// group. SIGPIPE is ignored, so that writing to a closed pipe returns an error.
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
  /// Sets what to write to standard error if a later signal ends the process; may be empty.
  void SetLastWords(std::string words);
  /// Sets the function to call, from a separate thread, when the terminal size changes. An empty
  /// function removes it.
  void OnResize(std::function<void()> resized);

 private:
  void Loop();
  [[noreturn]] void Leave();

  std::stop_source stop_;
  std::atomic<int> first_signal_ = 0;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  std::function<void()> resized_;
  std::string last_words_;
  std::thread thread_;
};

}  // namespace kinetic::cli
