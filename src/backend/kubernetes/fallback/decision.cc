#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/fallback/annotations.h"
#include "backend/kubernetes/fallback/failover.h"
#include "backend/kubernetes/object_fields.h"
#include "backend/kubernetes/snapshot/event_view.h"

#include <algorithm>
#include <chrono>

namespace kinetic::backend {
namespace {

/// An autoscaler that creates a node reports it within seconds.
constexpr std::chrono::seconds kOfferTakes{20};
/// A node is usually created faster.
constexpr std::chrono::minutes kNodeTakes{10};

/// Returns whether another accelerator is left and the job has no node yet.
bool MayMove(const PodSituation& situation, const SituationView& view) {
  if (situation.job == nullptr || NextAccelerator(*situation.job).empty()) return false;
  if (view.pod != nullptr && !TextAt(*view.pod, {"spec", "nodeName"}).empty()) return false;
  const auto submitted = SubmittedAt(*situation.job);
  const auto pending = situation.wanted.pending;
  const bool too_late = pending && submitted && situation.now - *submitted >= *pending;
  return !too_late && !view.HasBegun();
}

std::optional<WallTime> PatienceEnd(const Value& job) {
  const auto created = TimeAt(job, {"metadata", "creationTimestamp"});
  const auto patience = PatienceOf(job);
  if (!created || !patience) return std::nullopt;
  return *created + *patience;
}

/// Returns when to stop waiting for this accelerator, or nullopt if the cause is no reason to.
std::optional<WallTime> GivenUpAt(const PodSituation& situation, const Explanation& explanation) {
  const Value& job = *situation.job;
  const auto patience_end = PatienceEnd(job);
  switch (explanation.cause) {
    case Cause::kCannotScaleUp:
    case Cause::kScaleUpBackoff:
    case Cause::kCloudQuota:
    case Cause::kStockout:
    case Cause::kAddressesExhausted:
      return situation.now;
    case Cause::kNoSuchPool:
    case Cause::kNoMatchingNode: {
      if (explanation.final) return situation.now;
      const auto created = TimeAt(job, {"metadata", "creationTimestamp"});
      if (!created) return patience_end;
      const WallTime offered = *created + kOfferTakes;
      return patience_end ? std::min(offered, *patience_end) : offered;
    }
    case Cause::kScalingUp: {
      if (!explanation.since || !patience_end) return patience_end;
      return std::max(*patience_end, *explanation.since + kNodeTakes);
    }
    case Cause::kInsufficient:
    case Cause::kTaint:
    case Cause::kUnschedulable:
    case Cause::kQuota:
    case Cause::kQueue:
    case Cause::kQueueAbsent:
      return patience_end;
    default:
      return std::nullopt;
  }
}

}  // namespace

Patience PatienceWith(const PodSituation& situation) {
  if (!MayMove(situation, SituationView(situation))) return {};
  Explanation explanation = ExplainPresent(situation);
  if (IsTerminal(explanation.state)) return {};
  const auto given_up = GivenUpAt(situation, explanation);
  return {.is_over = given_up && *given_up <= situation.now,
          .reason = std::move(explanation.headline),
          .until = given_up};
}

}  // namespace kinetic::backend
