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

/// A supervisor to start: a process in its own session, so that it outlives the terminal.
struct SupervisorStart {
  Path runner;               ///< the kinetic-runner program
  std::string_view request;  ///< local::LaunchRequest as JSON; may contain secrets
  std::string search_path;   ///< its PATH
  std::string nonce;         ///< of the job; it finds the supervisor in /proc
  Path folder;               ///< its working directory
  Path diagnostics;          ///< its stderr is appended here
  int starting = -1;         ///< a locked file, which it keeps open until it is ready; -1: none
  bool await_ready = true;   ///< false: return once it has the request
  /// How long to wait for its answer after a stop request.
  std::chrono::milliseconds answer_timeout{5000};
};

/// Starts `kinetic-runner supervise`, passes the request on its standard input, and waits until it
/// is ready, unless `await_ready` is false.
///
/// @returns  its PID. It is a child of this process and must be reaped.
/// @errors   kNotFound, kPermissionDenied (the program) · kFailedPrecondition (it exited before it
///           was ready; with its last output) · kCancelled (nothing was started, or it did not
///           respond in time).
Result<pid_t> StartSupervisor(const SupervisorStart& start, std::stop_token stop);

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
