#pragma once

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kinetic::job {

/// Runs work in the background on behalf of a client, such as cleanup after a job's outcome is
/// known.
///
/// @threads  safe to call concurrently.
class Background {
 public:
  Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Starts `work` at once. The destructor waits until it is done.
  void Do(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back(std::move(work));
  }

 private:
  std::mutex mutex_;
  std::vector<std::jthread> threads_;
};

}  // namespace kinetic::job
