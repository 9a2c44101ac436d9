#pragma once

#include "kinetic/explanation.h"

#include "backend/kubernetes/diagnose/cause.h"
#include "backend/kubernetes/snapshot/pod_snapshot.h"
#include "pod/container.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

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
  std::int64_t version = 0;  ///< tells events of the same second apart
};

/// A situation with what everybody who looks at it needs: the pod that matters, and the events in
/// order. It refers to the situation.
struct Sighting {
  explicit Sighting(const PodSituation& situation);

  const PodSituation& all;
  const Value* pod = nullptr;     ///< the newest; null: there is none
  std::vector<EventView> events;  ///< newest first

  /// The newest event about the pod, or about the Job, whose reason is one of these, and whose
  /// message has `text` in it; null: none.
  const EventView* PodEvent(std::initializer_list<std::string_view> reasons,
                            std::string_view text = {}) const;
  const EventView* JobEvent(std::initializer_list<std::string_view> reasons) const;
  /// The newest about any pod of the Job, also one that is gone.
  const EventView* AnyPodEvent(std::initializer_list<std::string_view> reasons,
                               std::string_view text = {}) const;
  /// Whether the program of any attempt has begun, as far as it can be seen.
  bool HasBegun() const;
  /// The node of the pod as it was listed, or null.
  const Value* Node() const;
};

/// An explanation with what is always said of its cause.
Explanation Explained(Cause cause, JobState state);

/// The end of a server's message, where it says what is wrong, cut to what fits on a line:
/// "secret "none" not found"; empty for an empty one.
std::string Essence(std::string_view message);

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

/// What a Job with several accelerators adds to why it waits: what was tried before, and what comes
/// next. (kubernetes_explain_choice.cc)
void ExplainChoice(Explanation& explanation, const Value& job);

}  // namespace kinetic::backend
