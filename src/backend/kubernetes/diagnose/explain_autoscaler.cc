#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/diagnose/patterns.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::backend {
namespace {

/// Older autoscaler events are ignored.
constexpr std::chrono::minutes kStale{30};
/// A node is usually created faster.
constexpr std::chrono::minutes kUsualScaleUp{10};

std::chrono::milliseconds Age(const EventView& event, WallTime now) {
  if (!event.last) return std::chrono::milliseconds(0);
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::duration_cast<std::chrono::milliseconds>(now - *event.last));
}

/// GKE may still create a pool: with node auto-provisioning, a compute class or Autopilot. The
/// autoscaler's message names only existing pools.
constexpr std::chrono::minutes kPoolTakes{10};

/// Returns whether no node pool of the autoscaler matches the pod's selectors. If there is no pool,
/// its message contains no reason.
bool NothingWouldFit(const EventView& event) {
  const std::string text = ToLower(event.message);
  const std::size_t colon = text.find(':');
  if (event.reason != "NotTriggerScaleUp" || colon == std::string::npos) return false;
  return std::ranges::all_of(
      Split(std::string_view(text).substr(colon + 1), ','), [](std::string_view clause) {
        return Trim(clause).empty() ||
               clause.find("didn't match pod's node affinity/selector") != std::string_view::npos;
      });
}

void DescribeScalingUp(Explanation& explanation, const EventView& event, WallTime now) {
  const auto age = Age(event, now);
  explanation.progress = fmt::format("for {}", FormatDuration(age));
  if (age > kUsualScaleUp) {
    explanation.advice =
        "this is taking longer than usual, possibly because of a lack of capacity; see the node "
        "pool's events in the Cloud console";
  }
}

/// Returns the autoscaler's last event; for a backoff, the failure that caused it.
const EventView* Decisive(const SnapshotIndex& index) {
  const EventView* last =
      index.PodEvent({"TriggeredScaleUp", "NotTriggerScaleUp", "FailedScaleUp"});
  if (last == nullptr || Age(*last, index.view.now) > kStale) return nullptr;
  if (MatchCause(SignalSource::kAutoscaler, last->reason, last->message) !=
      Cause::kScaleUpBackoff) {
    return last;
  }
  const EventView* failed = index.PodEvent({"FailedScaleUp"});
  return failed == nullptr ? last : failed;
}

}  // namespace

MaybeExplanation ExplainAutoscaler(const SnapshotIndex& index) {
  MaybeExplanation scheduler = ExplainScheduling(index);
  if (!scheduler || scheduler->phase != Phase::kProvision) return std::nullopt;
  const EventView* event = Decisive(index);
  if (event == nullptr) return std::nullopt;
  const auto cause = MatchCause(SignalSource::kAutoscaler, event->reason, event->message);
  if (!cause) return std::nullopt;
  if (NothingWouldFit(*event)) {
    // The scheduler's message says which request no pool matches.
    scheduler->evidence.insert(scheduler->evidence.begin(), EvidenceOf(*event));
    scheduler->headline += ", and no autoscaled node pool matches";
    scheduler->final = event->first && index.view.now - *event->first >= kPoolTakes;
    if (!scheduler->final) {
      scheduler->advice = fmt::format(
          "{}; unless the cluster creates a node pool, kinetic stops the job after {} min",
          scheduler->advice, kPoolTakes.count());
    }
    return scheduler;
  }
  Explanation explanation = MakeExplanation(*cause, JobState::kPending);
  explanation.evidence.push_back(EvidenceOf(*event));
  const EventView* last =
      index.PodEvent({"TriggeredScaleUp", "NotTriggerScaleUp", "FailedScaleUp"});
  if (last != event) explanation.evidence.push_back(EvidenceOf(*last));
  std::ranges::copy(scheduler->evidence, std::back_inserter(explanation.evidence));
  explanation.near_nodes = std::move(scheduler->near_nodes);
  explanation.since = event->first;
  if (*cause == Cause::kScalingUp) DescribeScalingUp(explanation, *event, index.view.now);
  if (*cause == Cause::kCannotScaleUp) {
    explanation.headline = scheduler->headline + ", and the autoscaler cannot add one";
  }
  return explanation;
}

}  // namespace kinetic::backend
