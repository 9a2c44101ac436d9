#pragma once

#include "kinetic/explanation.h"

#include "pod/container.h"
#include "target/kubernetes_cause.h"
#include "target/kubernetes_situation.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::target {

/// An event of either API, read.
struct EventView {
  const Value* object = nullptr;
  std::string_view reason;
  std::string_view message;
  std::string_view component;
  std::string_view kind;  ///< of what it is about
  std::string_view name;
  std::string_view uid;
  std::optional<WallTime> first;
  std::optional<WallTime> last;
  std::uint64_t count = 1;
};

/// A situation with what everybody who looks at it needs: the pod that matters, and the events in
/// order. It refers to the situation.
struct Sighting {
  explicit Sighting(const PodSituation& situation);

  const PodSituation& all;
  const Value* pod = nullptr;     ///< the newest; null: there is none
  std::vector<EventView> events;  ///< newest first

  /// The newest event about the pod, or about the Job, whose reason is one of these; null: none.
  const EventView* PodEvent(std::initializer_list<std::string_view> reasons) const;
  const EventView* JobEvent(std::initializer_list<std::string_view> reasons) const;
  /// The node of the pod as it was listed, or null.
  const Value* Node() const;
};

/// An explanation with what is always said of its cause.
Explanation Explained(Cause cause, JobState state);

/// What was seen, as evidence.
Evidence EvidenceOf(const EventView& event);
Evidence ConditionEvidence(const Value& condition, std::string_view of);
/// @param state  "waiting" or "terminated", with its reason and message
Evidence ContainerEvidence(const Value& pod, std::string_view container, std::string_view state);
Evidence PodStatusEvidence(const Value& pod);

/// Everything that is looked at, in this order; the first that has something to say explains.
using MaybeExplanation = std::optional<Explanation>;
MaybeExplanation ExplainEnd(const Sighting& seen);   ///< kubernetes_explain_end.cc
MaybeExplanation ExplainNode(const Sighting& seen);  ///< kubernetes_explain_pod.cc
MaybeExplanation ExplainContainers(const Sighting& seen);
MaybeExplanation ExplainScheduling(const Sighting& seen);  ///< kubernetes_explain_scheduler.cc
MaybeExplanation ExplainAutoscaler(const Sighting& seen);  ///< kubernetes_explain_autoscaler.cc
MaybeExplanation ExplainCreation(const Sighting& seen);    ///< kubernetes_explain_creation.cc
MaybeExplanation ExplainQueue(const Sighting& seen);       ///< kubernetes_explain_queue.cc

}  // namespace kinetic::target
