#pragma once

#include "job/context.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// A job about which the target says that nobody works on it any more.
struct Abandoned {
  std::string id;
  std::string evidence;  ///< "its supervisor, process 812, is gone"
  std::optional<record::AttemptStatus> status;
  bool has_outcome = false;  ///< the target knows how it ended
};

/// Brings a job that nobody works on to its end: what the target still has of its value, outputs
/// and log goes to the store; when it has no result it gets the one that the target knows, or else
/// is lost, with the evidence; and what the target keeps of it is removed. Any number of clients
/// may do so at once, and be killed while they do.
///
/// @errors  kFailedPrecondition: the target has its outcome, and the store does not know the job.
Status Settle(Context& context, const Abandoned& job, std::stop_token stop);

/// Removes what the target keeps of a job that has a result, once the store has its whole log.
///
/// @param log_records  of the whole log, as the result says.
/// @errors  kFailedPrecondition: somebody still works on it.
Status Release(Context& context, std::string_view id, std::uint64_t log_records,
               std::stop_token stop);

/// Settles the jobs that the target finds abandoned, or of these only `id`. On a cluster several at
/// once. One that cannot be settled is reported to the log and left for the next time.
///
/// @errors  those of Target::Sweep.
Status SettleAll(Context& context, std::stop_token stop);
Status SettleOne(Context& context, std::string_view id, std::stop_token stop);

/// The same for those that a sweep has found; `done` is called after each, on any thread.
///
/// @errors  kCancelled.
Status SettleEach(Context& context, const std::vector<target::Target::LostJob>& abandoned,
                  const std::function<void(std::string_view id)>& done, std::stop_token stop);

}  // namespace kinetic::job
