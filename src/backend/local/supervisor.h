#pragma once

#include "base/files/file_system.h"

#include <sys/types.h>

#include <chrono>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// A supervisor to start: a process in a session of its own, so that it outlives the terminal.
struct SupervisorStart {
  Path runner;               ///< the kinetic-runner program
  std::string_view request;  ///< local::LaunchRequest as JSON; it may hold secrets
  std::string search_path;   ///< its PATH
  Path folder;               ///< its working folder
  Path diagnostics;          ///< its stderr is appended here
  /// How long its answer is still waited for after a stop request.
  std::chrono::milliseconds patience{5000};
};

/// Starts `kinetic-runner supervise`, hands it the request over its standard input and waits until
/// it says that it is ready.
///
/// @returns  its pid; it is a child of this process and wants to be reaped.
/// @errors   kNotFound, kPermissionDenied (the program) · kFailedPrecondition (it ended before it
///           was ready: its last words) · kCancelled (nothing was started, or it did not answer in
///           time).
Result<pid_t> StartSupervisor(const SupervisorStart& start, std::stop_token stop);

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
