#pragma once

#include "job/context.h"

#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Waits until a job has ended and returns its outcome; what the target kept of it is tidied up.
/// A job that nobody works on any more is settled first.
Result<Outcome> AwaitOutcome(Context& context, std::string_view id, Observer* observer,
                             std::stop_token stop);

/// The outcome of a job that has ended; nothing while it has not.
Result<std::optional<Outcome>> CollectOutcome(Context& context, std::string_view id,
                                              std::stop_token stop);

/// Asks a job to stop and waits until it has ended.
Status CancelJob(Context& context, std::string_view id, std::stop_token stop);

}  // namespace kinetic::job
