#pragma once

#include "kinetic/result.h"

#include "backend/target.h"
#include "record/outcome.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kinetic::job {

struct Context;

/// Ends an abandoned job. Stores the value, outputs and log that the target still has. If the job
/// has no result, stores the result that the target knows, or marks the job as lost with the
/// evidence. Then removes the job's state from the target. Safe for concurrent clients, and safe to
/// interrupt.
///
/// A job without a record is removed, unless its client may still be submitting it.
///
/// @errors  kFailedPrecondition: only this machine has the outcome, and the store has no such job.
Status ReconcileJob(Context& context, const backend::AbandonedJob& job, std::stop_token stop);

/// Removes the target's state of a job that has a result, once the store has its whole log.
///
/// @param log_records  the length of the whole log, from the result.
/// @errors  kFailedPrecondition: the job is still in use.
Status RemoveTargetState(Context& context, std::string_view id, std::uint64_t log_records,
                         std::stop_token stop);

/// Reconciles the jobs that the target reports as abandoned, or only `id`. On a remote target,
/// several jobs are reconciled concurrently. Failures are logged, and a later client tries again.
///
/// @errors  errors of Target::Sweep.
Status ReconcileAll(Context& context, std::stop_token stop);
Status ReconcileOne(Context& context, std::string_view id, std::stop_token stop);

/// Reconciles the jobs that a sweep returned. Calls `done` after each job, on any thread.
///
/// @errors  kCancelled.
Status ReconcileJobs(Context& context, const std::vector<backend::AbandonedJob>& abandoned,
                     const std::function<void(std::string_view id)>& done, std::stop_token stop);

/// Reconciles, once and in the background, the abandoned jobs that earlier clients left on a
/// target.
///
/// @threads  safe to call concurrently.
class Reconciler {
 public:
  Reconciler() = default;
  /// Leaves the remaining jobs to the next client.
  ~Reconciler() = default;
  Reconciler(const Reconciler&) = delete;
  Reconciler& operator=(const Reconciler&) = delete;

  /// Starts unless already started. Starts again after a failure. `context` must be the owner of
  /// this object.
  void Start(Context& context);

  /// Waits until all jobs are reconciled. On a remote target, waits at most two seconds from the
  /// start, except for job `id`, if that job must be reconciled.
  ///
  /// @errors  errors of Target::Sweep · kCancelled by `stop`, which does not stop the
  ///          reconciliation.
  Status Wait(std::string_view id, const std::stop_token& stop);

 private:
  void Run(Context& context, const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Status> sweep_;  ///< nullopt: the sweep has not finished
  std::set<std::string, std::less<>> pending_;
  bool wait_for_all_ = false;
  std::optional<std::chrono::steady_clock::time_point> started_;
  std::jthread thread_;
};

}  // namespace kinetic::job
