#pragma once

#include "job/context.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// A job that the target reports as abandoned: nothing runs or supervises it any more.
struct Abandoned {
  std::string id;
  std::string evidence;  ///< "its supervisor, process 812, is gone"
  std::optional<record::AttemptStatus> status;
  bool has_outcome = false;  ///< the target knows the outcome
};

/// Ends an abandoned job. Stores the value, outputs and log that the target still has. If the job
/// has no result, stores the result that the target knows, or marks the job as lost with the
/// evidence. Then removes the job's state from the target. Safe for concurrent clients, and safe to
/// interrupt.
///
/// @errors  kFailedPrecondition: the target has an outcome, but the store has no such job.
Status Settle(Context& context, const Abandoned& job, std::stop_token stop);

/// Removes the target's state of a job that has a result, once the store has its whole log.
///
/// @param log_records  the length of the whole log, from the result.
/// @errors  kFailedPrecondition: the job is still in use.
Status Release(Context& context, std::string_view id, std::uint64_t log_records,
               std::stop_token stop);

/// Reconciles the jobs that the target reports as abandoned, or only `id`. On a cluster, several
/// jobs are reconciled concurrently. Failures are logged, and a later client tries again.
///
/// @errors  errors of Target::Sweep.
Status SettleAll(Context& context, std::stop_token stop);
Status SettleOne(Context& context, std::string_view id, std::stop_token stop);

/// Reconciles the jobs that a sweep returned. Calls `done` after each job, on any thread.
///
/// @errors  kCancelled.
Status SettleEach(Context& context, const std::vector<backend::Target::LostJob>& abandoned,
                  const std::function<void(std::string_view id)>& done, std::stop_token stop);

}  // namespace kinetic::job
