#pragma once

#include <sys/types.h>

#include <mutex>
#include <vector>

namespace kinetic::backend {

/// Processes that this process has started and that outlive it. While it lives it is their parent,
/// and has to take note of their end lest they stay behind as zombies.
///
/// @threads  safe to call concurrently.
class Children {
 public:
  void Add(pid_t process);
  /// Takes note of those that have ended; waits for none.
  void Reap();

 private:
  std::mutex mutex_;
  std::vector<pid_t> processes_;
};

}  // namespace kinetic::backend
