#pragma once

#include "kinetic/explanation.h"
#include "kinetic/result.h"

#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::pod {

/// The object that tells a runner who stops it why: jobs/{id}/cancel. The first one counts.
std::string CancelName(std::string_view id);

/// Why a client ends a job.
struct StopCause {
  Cause cause = Cause::kCancelled;  ///< or kTooLate, or what can never go away
  std::string reason = {};          ///< for people; empty: the cause says enough
};

std::string ToJson(const StopCause& cause);

/// What the store has of it; nothing: nobody wanted the job ended. An object that cannot be read,
/// or names no cause, is a cancellation.
/// @errors  those of Store.
Result<std::optional<StopCause>> ReadStopCause(store::Store& store, std::string_view id,
                                               std::stop_token stop);

}  // namespace kinetic::pod
