#pragma once

#include "kinetic/explanation.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kinetic::target {

/// Where a server's words stand.
enum class Sign : std::uint8_t {
  kJobCondition,  ///< a Job's Failed or FailureTarget: reason and message
  kPodStatus,     ///< status.reason and status.message of a pod that failed
  kDisruption,    ///< a pod's DisruptionTarget condition
  kTerminated,    ///< how a container ended
  kWaiting,       ///< why a container waits
  kPodEvent,      ///< an event of a pod that is being started
  kScheduler,     ///< a clause of what the scheduler says
  kAutoscaler,    ///< an event of an autoscaler
  kCreation,      ///< why a controller could not make a pod
  kQueue,         ///< a condition of Kueue's workload
};

/// The cause that a server's words stand for, by the one table of patterns; nothing: they say none
/// that is known.
///
/// @param reason  the word for machines: "ErrImagePull"
/// @param text    the sentence for people; compared without regard to case
std::optional<Cause> MatchCause(Sign sign, std::string_view reason, std::string_view text);

/// What is said of a cause, whatever the job.
struct CauseText {
  Cause cause;
  Phase phase;
  std::string_view headline;
  std::string_view advice;
  bool final;  ///< waiting never helps
};
const CauseText& TextOf(Cause cause);
/// All of them, in the order of docs/reference/causes.md.
std::span<const CauseText> CauseTexts();

/// One pattern: what is said where means which cause. An empty reason or text matches any; the text
/// is in lower case, and is looked for anywhere in the message.
struct Pattern {
  Sign sign;
  std::string_view reason;
  std::string_view text;
  Cause cause;
};
/// The first that matches counts.
std::span<const Pattern> Patterns();

}  // namespace kinetic::target
