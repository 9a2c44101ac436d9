#pragma once

#include "kinetic/explanation.h"

#include "backend/kubernetes/snapshot/pod_snapshot.h"

#include <optional>

namespace kinetic::backend {

/// Explains the state of a job on a cluster: the most important cause, the event, condition or status
/// that shows it, and what to do. Deterministic.
///
/// Sources are checked in the order of their reliability: the end of the Job or its pod, Kueue, the
/// node, the pod's containers, the autoscaler, the scheduler, the creation of the pod. An event counts
/// only while the object is in the state that it reports.
///
/// @source  docs/reference/causes.md lists the causes and the matched messages.
Explanation Explain(const PodSituation& situation);

/// Explains the state with the Job's current accelerator only, without fallbacks.
Explanation ExplainPresent(const PodSituation& situation);

/// Returns why the job must be ended (exit code 121): timeouts.pending has passed, or the cause cannot
/// go away. Returns nullopt while waiting may help.
std::optional<Explanation> GiveUp(const PodSituation& situation);

}  // namespace kinetic::backend
