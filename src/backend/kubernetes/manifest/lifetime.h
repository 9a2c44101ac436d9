#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace kinetic::backend {

/// Which ends of a pod are followed by another one. A pod that was preempted, evicted or lost with
/// its node is no failure of the program's and does not count; a program that fails ends the Job
/// unless the runner says by its exit code that another attempt is wanted. How often that happens
/// is the runner's to say, who numbers attempts in the store.
///
/// @source  https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
Value PodFailurePolicy(const RetrySpec& retry);

/// How many failed pods a Job may count: one for each attempt but the last, and some for pods that
/// a node turned away before anything of the job ran.
std::int64_t BackoffLimit(const RetrySpec& retry);

/// How long a finished Job stays, for those who look at it with other tools. kinetic removes it
/// earlier, when its result is in the store.
inline constexpr std::chrono::hours kKeptWhenFinished{7 * 24};

/// What a pod has from SIGTERM to SIGKILL: the program's own grace, and the time in which the
/// collector stores the rest.
std::chrono::seconds TerminationGrace(const Timeouts& timeouts);

/// When the cluster ends the Job even if no client and no runner lives that would: a bound far
/// enough behind their own to never come before them. Nothing unless pending and run are both
/// bounded.
std::optional<std::chrono::seconds> ActiveDeadline(const JobSpec& spec);

}  // namespace kinetic::backend
