#pragma once

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kinetic::job {

/// Work that nobody waits for before the client goes: tidying up after a job whose outcome is in
/// hand, or what goes on beside its preparation.
///
/// @threads  safe to call concurrently.
class Background {
 public:
  Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Begins something at once; the destructor waits until it is done.
  void Do(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back(std::move(work));
  }

 private:
  std::mutex mutex_;
  std::vector<std::jthread> threads_;
};

}  // namespace kinetic::job
