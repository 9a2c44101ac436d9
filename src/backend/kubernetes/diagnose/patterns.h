#pragma once

#include "kinetic/explanation.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kinetic::backend {

/// Where a server reported something.
enum class SignalSource : std::uint8_t {
  kJobCondition,  ///< the Failed or FailureTarget condition of a Job
  kPodStatus,     ///< status.reason and status.message of a pod that failed
  kDisruption,    ///< a pod's DisruptionTarget condition
  kTerminated,    ///< the terminated state of a container
  kWaiting,       ///< the waiting state of a container
  kPodEvent,      ///< an event of a starting pod
  kScheduler,     ///< one reason in the scheduler's message
  kAutoscaler,    ///< an event of an autoscaler
  kCreation,      ///< a controller's message that it could not create a pod
  kQueue,         ///< a condition of Kueue's Workload
};

/// Returns the cause that a message matches in Patterns(), or nullopt.
///
/// @param reason  machine-readable reason: "ErrImagePull"
/// @param text    message; case is ignored
std::optional<Cause> MatchCause(SignalSource source, std::string_view reason,
                                std::string_view text);

/// Maps a reason and a text to a cause. An empty reason or text matches any. The text is in lower
/// case and may be anywhere in the message.
struct Pattern {
  SignalSource source;
  std::string_view reason;
  std::string_view text;
  Cause cause;
};
/// Returns the patterns; the first match counts.
std::span<const Pattern> Patterns();

}  // namespace kinetic::backend
