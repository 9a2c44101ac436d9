#include "kinetic/try.h"

#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/kubernetes/snapshot/index.h"
#include "pod/collect_request.h"
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
constexpr std::chrono::minutes kLogTimeout{5};

/// What collectors stored about the attempts of a job.
struct StoredAttempts {
  bool any = false;
  std::optional<record::StoredOutcome> last;  ///< the outcome of the last one that has one
};

Result<StoredAttempts> ReadAttempts(store::Store& store, std::string_view id,
                                    const std::stop_token& stop) {
  StoredAttempts attempts;
  record::RunKey last({}, 0);
  // The names are not listed in the order of the attempts: 10 precedes 9.
  const auto note = [&](const store::ObjectInfo& object) -> Result<bool> {
    attempts.any = true;
    const auto named = record::ParseRunObject(object.name);
    if (!named || named->run.host != 0 || named->run.attempt <= last.attempt) return true;
    if (object.name == record::RunResultName(named->run)) last = named->run;
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(record::AttemptsFolder(id), {}, note, stop));
  if (last.attempt == 0) return attempts;
  const std::string name = record::RunResultName(last);
  KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(store, name, stop));
  if (!json) return attempts;
  auto outcome = record::OutcomeOfJob(*json, {std::string(id), std::string()});
  if (!outcome) return Failure(std::move(outcome).error().Context(name));
  attempts.last = *std::move(outcome);
  return attempts;
}

/// Returns when the job last ended or was stopped, according to the Job's conditions.
std::optional<WallTime> EndOf(const Value& job) {
  std::optional<WallTime> end;
  for (const std::string_view type : {"Complete", "Failed", "Suspended"}) {
    if (!IsConditionTrue(job, type)) continue;
    end = std::max(end, TimeAt(*ConditionOf(job, type), {"lastTransitionTime"}));
  }
  return end;
}

/// Returns the newest pod that has a log, or null.
const Value* LastWithLog(const ClusterSnapshot& snapshot) {
  const Value* last = nullptr;
  for (const Value* pod : snapshot.PodsInOrder()) {
    if (HasStarted(*pod, pod::kCollectorContainer)) last = pod;
  }
  return last;
}

}  // namespace

LogAvailability LogAvailabilityOf(const ClusterSnapshot& snapshot, WallTime now) {
  LogAvailability log;
  const Value* pod = LastWithLog(snapshot);
  if (pod == nullptr) {
    const auto view = snapshot.ViewAt(now);
    if (!snapshot.pods.empty() || !SnapshotIndex(view).HasBegun()) return log;
    return {.unavailable_reason = "its pod is gone", .is_final = true};
  }
  const std::string node(TextAt(*pod, {"spec", "nodeName"}));
  if (std::ranges::count(snapshot.missing_nodes, node) > 0) {
    return {.unavailable_reason = fmt::format("its node {} is gone", node), .is_final = true};
  }
  const auto known = std::ranges::find(snapshot.nodes, node, &NameOf);
  const Value* ready = known == snapshot.nodes.end() ? nullptr : ConditionOf(*known, "Ready");
  if (ready != nullptr && TextAt(*ready, {"status"}) == "Unknown") {
    log.unavailable_reason = fmt::format("its node {} does not respond", node);
  }
  const auto end = snapshot.job ? EndOf(*snapshot.job) : std::nullopt;
  log.is_final = end && now - *end >= kLogTimeout;
  return log;
}

Result<CollectedState> CollectState(const ClusterSnapshot& snapshot, std::string_view id,
                                    store::Store& store, WallTime now, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto attempts, ReadAttempts(store, id, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto cause, pod::ReadStopCause(store, id, std::move(stop)));
  SnapshotView view = snapshot.ViewAt(now);
  view.job_existed = view.job_existed || attempts.any;
  Explanation explanation = Explain(view);
  if (cause && cause->cause != Cause::kCancelled) {
    explanation.cause = Cause::kStartTimeout;
    explanation.headline = cause->reason;
  }
  CollectedState state;
  // A collector stores the log before the outcome of an attempt.
  if (!attempts.last || !snapshot.pods.empty()) state.log = LogAvailabilityOf(snapshot, now);
  if (snapshot.job && TasksPerPodOf(*snapshot.job) > 1) {
    state.log = {.unavailable_reason = "the pod has the logs of several tasks", .is_final = true};
  }
  const bool is_gone = attempts.any && !attempts.last && !snapshot.job && snapshot.pods.empty();
  if (is_gone) state.log = {.unavailable_reason = "its pod is gone", .is_final = true};
  const bool was_started = snapshot.job || !snapshot.pods.empty() || attempts.any || cause;
  if (was_started)
    state.outcome = OutcomeOf(snapshot, explanation, std::move(attempts.last), cause.has_value());
  return state;
}

}  // namespace kinetic::backend
