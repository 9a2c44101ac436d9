#pragma once

#include "kinetic/job_spec.h"

#include <chrono>
#include <optional>

namespace kinetic::backend {

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
