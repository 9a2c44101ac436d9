#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/lifecycle/failover.h"
#include "backend/kubernetes/manifest/fallback_annotations.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/index.h"

#include <algorithm>
#include <chrono>

namespace kinetic::backend {
namespace {

/// Autopilot has taken 68 s to report that it creates a node.
constexpr std::chrono::minutes kOfferTakes{3};
/// A node is usually created faster.
constexpr std::chrono::minutes kNodeTakes{10};

/// Returns whether another accelerator is left and the job has no node yet.
bool MayFallBack(const SnapshotView& view, const SnapshotIndex& index) {
  if (view.job == nullptr || NextAccelerator(*view.job).empty()) return false;
  if (index.pod != nullptr && !TextAt(*index.pod, {"spec", "nodeName"}).empty()) return false;
  const auto submitted = SubmittedAt(*view.job);
  const auto pending = view.requested.pending;
  const bool timed_out = pending && submitted && view.now - *submitted >= *pending;
  return !timed_out && !index.HasBegun();
}

std::optional<WallTime> FallbackDeadline(const Value& job) {
  const auto created = TimeAt(job, {"metadata", "creationTimestamp"});
  const auto timeout = FallbackTimeoutOf(job);
  if (!created || !timeout) return std::nullopt;
  return *created + *timeout;
}

/// Returns when to stop waiting for this accelerator, or nullopt if the cause is no reason to.
std::optional<WallTime> GivenUpAt(const SnapshotView& view, const Explanation& explanation) {
  const Value& job = *view.job;
  const auto deadline = FallbackDeadline(job);
  switch (explanation.cause) {
    case Cause::kCannotScaleUp:
    case Cause::kScaleUpBackoff:
    case Cause::kCloudQuota:
    case Cause::kStockout:
    case Cause::kReservation:
    case Cause::kPoolConfiguration:
    case Cause::kNodeTimeout:
    case Cause::kAddressesExhausted:
      return view.now;
    case Cause::kNoSuchPool:
    case Cause::kNoMatchingNode: {
      if (explanation.final) return view.now;
      const auto created = TimeAt(job, {"metadata", "creationTimestamp"});
      if (!created) return deadline;
      const WallTime offered = *created + kOfferTakes;
      return deadline ? std::min(offered, *deadline) : offered;
    }
    case Cause::kScalingUp: {
      if (!explanation.since || !deadline) return deadline;
      return std::max(*deadline, *explanation.since + kNodeTakes);
    }
    case Cause::kInsufficient:
    case Cause::kTaint:
    case Cause::kUnschedulable:
    case Cause::kQuota:
    case Cause::kQueue:
    case Cause::kQueueNotFound:
      return deadline;
    default:
      return std::nullopt;
  }
}

}  // namespace

FallbackDecision DecideFallback(const SnapshotView& view) {
  if (!MayFallBack(view, SnapshotIndex(view))) return {};
  Explanation explanation = ExplainWithoutFallbacks(view);
  if (IsTerminal(explanation.state)) return {};
  const auto given_up = GivenUpAt(view, explanation);
  return {.is_over = given_up && *given_up <= view.now,
          .reason = std::move(explanation.headline),
          .until = given_up};
}

}  // namespace kinetic::backend
