#pragma once

#include "kinetic/explanation.h"

#include "backend/kubernetes/snapshot/index.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::backend {

/// Explains the state of a job on a cluster: the most important cause, the event, condition or
/// status that shows it, and what to do. Deterministic.
///
/// Sources are checked in the order of their reliability: the end of the Job or its pod, Kueue, the
/// node, the pod's containers, the autoscaler, the scheduler, the creation of the pod. An event
/// counts only while the object is in the state that it reports.
///
/// @source  docs/reference/causes.md lists the causes and the matched messages.
Explanation Explain(const SnapshotView& view);

/// Explains the state with the Job's current accelerator only, without fallbacks.
Explanation ExplainWithoutFallbacks(const SnapshotView& view);

/// Returns why the job must be ended (exit code 121): timeouts.pending has passed, or the cause
/// cannot go away. Returns nullopt while waiting may help.
std::optional<Explanation> GiveUp(const SnapshotView& view);

/// An explanation with the fixed text and hint of its cause.
Explanation MakeExplanation(Cause cause, JobState state);

/// The last part of a server's message, which states the problem, such as `secret "none" not
/// found`, truncated to one line. Empty for an empty message.
std::string LastClause(std::string_view message);

/// What the API server reported, as evidence.
Evidence EvidenceOf(const EventView& event);
Evidence ConditionEvidence(const Value& condition, std::string_view of);
/// @param state  "waiting" or "terminated", with its reason and message
Evidence ContainerEvidence(const Value& pod, std::string_view container, std::string_view state);
Evidence PodStatusEvidence(const Value& pod);

/// The sources in the order in which they are checked. The first that returns an explanation
/// decides.
using MaybeExplanation = std::optional<Explanation>;
MaybeExplanation ExplainEnd(const SnapshotIndex& index);
/// Of an array that has begun: how many of its tasks are in which state, and why others wait.
MaybeExplanation ExplainArray(const SnapshotIndex& index);
MaybeExplanation ExplainNode(const SnapshotIndex& index);
MaybeExplanation ExplainContainers(const SnapshotIndex& index);
MaybeExplanation ExplainScheduling(const SnapshotIndex& index);
MaybeExplanation ExplainAutoscaler(const SnapshotIndex& index);
MaybeExplanation ExplainCreation(const SnapshotIndex& index);
MaybeExplanation ExplainQueue(const SnapshotIndex& index);

/// Adds to an explanation which accelerators a Job with several has tried, and which one is next.
void ExplainFallbacks(Explanation& explanation, const Value& job);

}  // namespace kinetic::backend
