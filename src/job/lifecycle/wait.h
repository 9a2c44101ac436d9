#pragma once

#include "job/context.h"

#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Waits until a job has ended, returns its outcome and removes its state from the target.
/// Reconciles an abandoned job first.
Result<Outcome> AwaitOutcome(Context& context, std::string_view id, Observer* observer,
                             std::stop_token stop);

/// Returns the outcome of a job, or nullopt if the job has not ended.
Result<std::optional<Outcome>> CollectOutcome(Context& context, std::string_view id,
                                              std::stop_token stop);

/// Cancels a job and waits until it has ended.
Status CancelJob(Context& context, std::string_view id, std::stop_token stop);

}  // namespace kinetic::job
