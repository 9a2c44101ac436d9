#include "kinetic/try.h"

#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"

#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::chrono::seconds kAMoment{2};
/// Equals the page size of the store, because a user waits for both.
constexpr int kJobsOfAPage = 1000;

ClusterSnapshot OnlyJob(const Value& job) {
  ClusterSnapshot snapshot;
  snapshot.job_id = JobIdOf(job);
  snapshot.job = job;
  snapshot.job_existed = true;
  return snapshot;
}

/// Returns the state of a job from its Job alone, whose controller counts the pods.
Observation ListedObservation(const ClusterSnapshot& snapshot, WallTime now) {
  Observation seen = ObservationOf(snapshot, now);
  const Value& job = *snapshot.job;
  if (IsArray(job)) return seen;
  const auto count = [&](std::string_view key) { return IntAt(job, {"status", key}).value_or(0); };
  if (count("active") + count("terminating") > 0) seen.alive = true;
  if (seen.alive && count("ready") > 0) {
    seen.status.state = JobState::kRunning;
    seen.status.phase = Phase::kRun;
    seen.status.reason.clear();
  } else if (seen.status.state == JobState::kPending && count("active") > 0) {
    // The cause is in its pod and events, which are not read.
    seen.status.reason = "its pod has not started yet";
  }
  return seen;
}

}  // namespace

Result<JobListing::Listed> JobListing::List(const std::stop_token& stop) {
  Listed listed{.when = clock_.Steady(), .observations = {}, .abandoned = {}};
  const auto add = [&](const Value& job) -> Status {
    if (TextAt(job, {"metadata", "annotations", kStoreAnnotation}) != store_) return {};
    const ClusterSnapshot snapshot = OnlyJob(job);
    const Observation seen = ListedObservation(snapshot, clock_.Now());
    if (!seen.alive) {
      const WallTime now = clock_.Now();
      const Explanation explanation = Explain(snapshot.ViewAt(now));
      const auto created = TimeAt(job, {"metadata", "creationTimestamp"});
      listed.abandoned.push_back({.id = snapshot.job_id,
                                  .evidence = EvidenceLine(explanation),
                                  .status = seen.status,
                                  .outcome_location = {},
                                  .age = created ? std::optional(now - *created) : std::nullopt});
    }
    listed.observations.emplace(snapshot.job_id, seen);
    return {};
  };
  KINETIC_RETURN_IF_ERROR(client_.List(
      kube::kJobs, name_space_,
      {.label_selector = ManagedSelector(), .field_selector = {}, .page_items = kJobsOfAPage}, add,
      stop));
  return listed;
}

Result<Observations> JobListing::ObserveAll(std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  if (!last_ || clock_.Steady() - last_->when > kAMoment) {
    KINETIC_ASSIGN_OR_RETURN(last_, List(stop));
  }
  return last_->observations;
}

Result<std::vector<AbandonedJob>> JobListing::FindAbandoned(std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  KINETIC_ASSIGN_OR_RETURN(last_, List(stop));
  return last_->abandoned;
}

}  // namespace kinetic::backend
