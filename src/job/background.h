#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace kinetic::job {

/// Runs work in the background on behalf of a client, such as cleanup after a job's outcome is
/// known. Threads exist only while there is work.
///
/// @threads  safe to call concurrently.
class Background {
 public:
  Background() = default;
  /// Waits until all work is done.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Starts `work`, which must not throw, at once or as soon as one of 16 threads is free. If no
  /// thread can be started, does it on the calling thread.
  void Run(std::function<void()> work);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> queue_;
  std::size_t threads_ = 0;
};

}  // namespace kinetic::job
