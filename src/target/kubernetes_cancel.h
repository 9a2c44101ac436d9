#pragma once

#include "kinetic/explanation.h"

#include "target/watched_job.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::target {

/// Why somebody ends a job: jobs/{id}/cancel. The first one counts.
struct StopCause {
  Cause cause = Cause::kCancelled;  ///< or kTooLate, or what can never go away
  std::string reason = {};          ///< for people; empty: the cause says enough
};

std::string ToJson(const StopCause& cause);
/// What the store has of it; nothing: nobody wanted the job ended.
Result<std::optional<StopCause>> ReadStopCause(store::Store& store, std::string_view id,
                                               std::stop_token stop);

/// Ends a job: says so in the store, suspends its Job, so that its pods are ended and its record in
/// the cluster stays, and waits until none is left. Pods that do not go within their grace are
/// removed by force.
Status EndJob(const WatchedJob& job, const StopCause& cause, std::stop_token stop);

/// Removes the Job, its pods and its Secret. What is not there is removed already.
Status RemoveObjects(const kube::Client& client, std::string_view name_space, std::string_view id,
                     std::stop_token stop);

}  // namespace kinetic::target
