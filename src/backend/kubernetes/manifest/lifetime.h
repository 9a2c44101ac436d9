#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace kinetic::backend {

/// What fails together with a pod.
enum class FailureScope : std::uint8_t {
  kJob,
  kTask,
  kTasks,  ///< several tasks share the pod: another pod continues with those that have no result
};

/// Returns the pod failure policy. A pod that was preempted, evicted or lost with its node does not
/// count as a failure. A failed program ends the Job, or its task, unless its exit code requests
/// another attempt. The runner numbers attempts in the store and limits them.
///
/// @source  https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
Value PodFailurePolicy(const RetrySpec& retry, FailureScope scope);

/// Returns how many failed pods a Job, or an index of an array, may have: one per attempt except the
/// last, and some for pods that a node rejected before anything of the job ran.
///
/// @param tasks_per_pod  each task may end its pod in each attempt.
std::int64_t BackoffLimit(const RetrySpec& retry, std::uint32_t tasks_per_pod = 1);

/// How long a finished Job is kept for inspection with other tools. kinetic removes it earlier,
/// once its result is stored.
inline constexpr std::chrono::hours kKeptWhenFinished{7 * 24};

/// Returns the time between SIGTERM and SIGKILL: the program's grace period, and time for the
/// collector to store the rest.
std::chrono::seconds TerminationGrace(const Timeouts& timeouts);

/// Returns when the cluster ends the Job if neither a client nor a runner does. The deadline is
/// always later than theirs. Returns nullopt unless timeouts.pending and timeouts.run are both set,
/// and for an array.
std::optional<std::chrono::seconds> ActiveDeadline(const JobSpec& spec);

}  // namespace kinetic::backend
