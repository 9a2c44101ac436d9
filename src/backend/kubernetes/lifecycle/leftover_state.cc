#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/lifecycle/cancel.h"
#include "backend/kubernetes/lifecycle/outcome.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/object_fields.h"
#include "backend/kubernetes/snapshot/event_view.h"
#include "backend/kubernetes/snapshot/inspect.h"
#include "base/try.h"
#include "pod/container.h"
#include "record/object_names.h"
#include "record/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

/// How long the log of an ended job is waited for.
constexpr std::chrono::minutes kLogPatience{5};

/// Returns the last attempt outcome that a collector stored.
Result<std::optional<record::StoredOutcome>> LastAttempt(store::Store& store, std::string_view id,
                                                         const std::stop_token& stop) {
  std::optional<std::string> last;
  const std::string prefix = record::JobFolder(id) + "attempts/";
  const auto note = [&](const store::ObjectInfo& object) -> Result<bool> {
    if (object.name.ends_with("/result.json")) last = object.name;
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(prefix, {}, note, stop));
  if (!last) return std::optional<record::StoredOutcome>();
  KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(store, *last, stop));
  if (!json) return std::optional<record::StoredOutcome>();
  KINETIC_ASSIGN_OR_RETURN(auto outcome, record::OutcomeFromJson(*json));
  return std::optional(std::move(outcome));
}

/// Returns when the job last ended or was stopped, according to the Job's conditions.
std::optional<WallTime> EndOf(const Value& job) {
  std::optional<WallTime> end;
  for (const std::string_view type : {"Complete", "Failed", "Suspended"}) {
    if (!Holds(job, type)) continue;
    end = std::max(end, TimeAt(*ConditionOf(job, type), {"lastTransitionTime"}));
  }
  return end;
}

/// Returns the newest pod that has a log, or null.
const Value* LastWithLog(const Observed& observed) {
  const Value* last = nullptr;
  for (const Value* pod : observed.PodsInOrder()) {
    if (HasStarted(*pod, pod::kCollectorContainer)) last = pod;
  }
  return last;
}

}  // namespace

Target::RestOfLog RestOf(const Observed& observed, WallTime now) {
  Target::RestOfLog rest;
  const Value* pod = LastWithLog(observed);
  if (pod == nullptr) {
    const auto situation = observed.SituationAt(now);
    if (!observed.pods.empty() || !SituationView(situation).HasBegun()) return rest;
    return {.silent = "its pod is gone", .is_last_chance = true};
  }
  const std::string node(TextAt(*pod, {"spec", "nodeName"}));
  if (std::ranges::count(observed.nodes_gone, node) > 0) {
    return {.silent = fmt::format("its node {} is gone", node), .is_last_chance = true};
  }
  const auto known = std::ranges::find(observed.nodes, node, &NameOf);
  const Value* ready = known == observed.nodes.end() ? nullptr : ConditionOf(*known, "Ready");
  if (ready != nullptr && TextAt(*ready, {"status"}) == "Unknown") {
    rest.silent = fmt::format("its node {} does not respond", node);
  }
  const auto end = observed.job ? EndOf(*observed.job) : std::nullopt;
  rest.is_last_chance = end && now - *end >= kLogPatience;
  return rest;
}

Result<Target::Remains> RemainsOf(const Observed& observed, std::string_view id,
                                  store::Store& store, WallTime now, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto attempt, LastAttempt(store, id, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto cause, pod::ReadStopCause(store, id, std::move(stop)));
  Explanation explanation = Explain(observed.SituationAt(now));
  if (cause && cause->cause != Cause::kCancelled) {
    explanation.cause = Cause::kTooLate;
    explanation.headline = cause->reason;
  }
  Target::Remains remains;
  // A collector stores the log before the outcome of an attempt.
  if (!attempt || !observed.pods.empty()) remains.log = RestOf(observed, now);
  remains.outcome = OutcomeOf(observed, explanation, std::move(attempt), cause.has_value());
  return remains;
}

}  // namespace kinetic::backend
