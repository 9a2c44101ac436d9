#pragma once

#include "kinetic/explanation.h"

#include "target/kubernetes_situation.h"

#include <optional>

namespace kinetic::target {

/// Why a job on a cluster is in its state: the one cause that comes first, the raw event, condition
/// or status that shows it, what to do. Pure: the same situation has the same explanation.
///
/// Causes are looked for where they are most certain: the end of the Job or its pod, the containers
/// of the pod, its node, the scheduler and the autoscaler, the making of the pod, Kueue. An event
/// counts only while the object still is in the state that it speaks of.
///
/// @source  docs/reference/causes.md has the causes with what is matched.
Explanation Explain(const PodSituation& situation);

/// The same of the accelerator that the Job is made for, as if it were the only one.
Explanation ExplainPresent(const PodSituation& situation);

/// The explanation when timeouts.pending has passed, or the cause can never go away: what to end
/// the job with (exit code 121), and nothing while it is worth waiting.
std::optional<Explanation> GiveUp(const PodSituation& situation);

}  // namespace kinetic::target
