#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/value.h"

#include <cstdint>

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

}  // namespace kinetic::backend
