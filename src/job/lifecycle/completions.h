#pragma once

#include "kinetic/job.h"

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

namespace kinetic::job {

struct Context;

/// Waits for any number of jobs on one thread, which starts with the first wait.
///
/// Jobs on this machine are observed one by one, those on a cluster with one request. The time
/// between two rounds grows to 0.1 seconds on this machine and to 1 second on a cluster. It is ten
/// times as long as the requests of the last round took, up to 10 seconds. A watch of the cluster's
/// pods reports most ends earlier.
///
/// @threads  safe to call concurrently.
class Completions {
 public:
  using Callback = std::function<void(Result<Outcome> outcome)>;

  Completions() = default;
  /// Ends all waits with kCancelled. Blocks while a callback runs, except in this callback.
  ~Completions();
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;

  /// Returns whether the calling thread is in a callback: it must not wait for another one.
  static bool IsInCallback();

  /// Calls `done` once, on the thread of this object.
  ///
  /// @param context  the owner of this object.
  void Add(Context& context, JobSummary job, const WaitOptions& options, Callback done);

 private:
  class Server;
  std::once_flag started_;
  std::shared_ptr<Server> server_;
};

}  // namespace kinetic::job
