#pragma once

#include <sys/types.h>

#include <mutex>
#include <vector>

namespace kinetic::backend {

/// Child processes that outlive this process. While this process runs, it must reap them, or they
/// remain as zombies.
///
/// @threads  safe to call concurrently.
class ChildReaper {
 public:
  void Add(pid_t process);
  /// Reaps ended processes without waiting.
  void Reap();

 private:
  std::mutex mutex_;
  std::vector<pid_t> processes_;
};

}  // namespace kinetic::backend
