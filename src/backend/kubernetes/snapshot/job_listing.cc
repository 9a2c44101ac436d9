#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/lifecycle/outcome.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/object_fields.h"
#include "backend/kubernetes/snapshot/inspect.h"
#include "base/try.h"

#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::chrono::seconds kAMoment{2};
/// Equals the page size of the store, because a user waits for both.
constexpr int kJobsOfAPage = 1000;

Observed OnlyJob(const Value& job) {
  Observed observed;
  observed.job_id = JobIdOf(job);
  observed.job = job;
  observed.job_was_there = true;
  return observed;
}

/// Returns the state of a job from its Job alone, whose controller counts the pods.
Observation ListedObservation(const Observed& observed, WallTime now) {
  Observation seen = ObservationOf(observed, now);
  const Value& job = *observed.job;
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
  const auto look = [&](const Value& job) -> Status {
    if (TextAt(job, {"metadata", "annotations", kStoreAnnotation}) != store_) return {};
    const Observed observed = OnlyJob(job);
    const Observation seen = ListedObservation(observed, clock_.Now());
    if (!seen.alive) {
      const Explanation explanation = Explain(observed.SituationAt(clock_.Now()));
      listed.abandoned.push_back({.id = observed.job_id,
                                  .evidence = EvidenceOf(explanation),
                                  .status = seen.status,
                                  .has_outcome = true});
    }
    listed.observations.emplace(observed.job_id, seen);
    return {};
  };
  KINETIC_RETURN_IF_ERROR(client_.List(
      kube::kJobs, name_space_,
      {.label_selector = ManagedSelector(), .field_selector = {}, .page_items = kJobsOfAPage}, look,
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

Result<std::vector<Target::LostJob>> JobListing::FindAbandoned(std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  KINETIC_ASSIGN_OR_RETURN(last_, List(stop));
  return last_->abandoned;
}

}  // namespace kinetic::backend
