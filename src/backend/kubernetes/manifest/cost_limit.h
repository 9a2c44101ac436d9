#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/prices.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"

#include <chrono>

namespace kinetic::backend {

/// Returns how long each attempt of a job's program may run so that all attempts of all tasks
/// together stay within max_cost: prices of the most expensive accelerator that the job allows.
/// Time before the program starts is not included.
///
/// @errors  kInvalidArgument: another currency, or no price is known.
Result<std::chrono::milliseconds> CostLimit(const JobSpec& spec, const ClusterProfile& cluster,
                                            const Prices& prices);

}  // namespace kinetic::backend
