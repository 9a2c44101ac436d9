#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::backend {
namespace {

/// Returns whether a pod without a Job may still store results. A node that does not respond leaves
/// its pods in their state.
bool MayStore(const Value& pod, WallTime now) {
  constexpr std::chrono::minutes kLongestEnd{1};
  if (HasEnded(pod)) return false;
  const auto deadline = TimeAt(pod, {"metadata", "deletionTimestamp"});
  return !deadline || now < *deadline + kLongestEnd;
}

}  // namespace

std::optional<Observation> ObserveDeleted(const ClusterSnapshot& snapshot, WallTime now) {
  const auto may_store = [&](const auto& pod) { return MayStore(pod.second, now); };
  if (std::ranges::none_of(snapshot.pods, may_store)) return std::nullopt;
  Observation seen = ObservationOf(snapshot, now);
  seen.alive = true;
  seen.status.state = JobState::kRunning;
  seen.status.phase = Phase::kCollect;
  seen.status.reason = "its Job was deleted from the cluster, but its pod still exists";
  return seen;
}

std::optional<Explanation> ExplainDeleted(const ClusterSnapshot& snapshot, WallTime now) {
  auto seen = ObserveDeleted(snapshot, now);
  if (!seen) return std::nullopt;
  return Explanation{.cause = Cause::kCollecting,
                     .state = seen->status.state,
                     .phase = seen->status.phase,
                     .headline = std::move(seen->status.reason)};
}

}  // namespace kinetic::backend
