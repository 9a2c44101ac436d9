#pragma once

#include "kinetic/job.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

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

  /// The log that is read until the job has ended.
  struct Log {
    LogRecordSink reader;  ///< empty: the log is not read
    std::uint64_t from_sequence = 0;
    std::optional<std::uint64_t> tail = {};  ///< of the first read
  };

  /// A wait for a job.
  struct Request {
    JobSummary job;
    WaitOptions options;
    Log log = {};
    std::optional<Error> error = {};  ///< delivered instead of the outcome
  };

  Completions() = default;
  /// Ends all waits with kCancelled. Blocks while a callback runs, except in this callback.
  ~Completions();
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;

  /// Returns whether the calling thread is in a callback: it must not wait for another one.
  static bool IsInCallback();

  /// Passes the log to its reader, and calls `done` once, both on the thread of this object. An error
  /// of the reader ends the wait. A deadline interrupts requests, except in the first two seconds.
  ///
  /// @param context  the owner of this object.
  void Add(Context& context, Request request, Callback done);

 private:
  class Server;
  std::once_flag started_;
  std::shared_ptr<Server> server_;
};

}  // namespace kinetic::job
