#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/export.h"
#include "kinetic/plan_step.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

/// List prices in US dollars per hour.
struct ClusterPrice {
  double idle = 0;             ///< without jobs
  std::optional<double> busy;  ///< with every pool at its maximum; nullopt: a price is unknown
  std::optional<double> busy_before;  ///< same, before the plan; nullopt: unknown, or none exists
  std::string date;                   ///< of the oldest price: "2026-08-19"; may be empty
};

/// A quota that a node pool uses. Reservations need none.
struct QuotaNeed {
  std::string name;  ///< "TPU_LITE_PODSLICE_V5"
  std::string region;
  double needed = 0;
  std::optional<double> available;  ///< nullopt: unknown
};

/// Receives the progress of a plan. Called concurrently, for different steps.
class KINETIC_EXPORT PlanObserver {
 public:
  virtual ~PlanObserver() = default;
  virtual void OnStepStarted(const PlanStep& step) = 0;
  /// @param status  may be an error although the plan succeeds, if the caller lacks permission to
  ///                update resources of an earlier version.
  virtual void OnStepFinished(const PlanStep& step, const Status& status) = 0;
  /// Reports what a step waits for, for example a grant that is not yet visible.
  virtual void OnStepWaiting(const PlanStep& step, std::string_view reason) = 0;
};

/// A person with their own namespace and store.
struct ClusterUser {
  std::string email;
  Profile profile;  ///< with which this person runs jobs
};

/// What a command is about to do, computed from what exists. Nothing has been changed yet.
class KINETIC_EXPORT ClusterPlan {
 public:
  struct State;
  explicit ClusterPlan(std::shared_ptr<State> state);

  const std::vector<PlanStep>& steps() const;
  /// Returns whether nothing would be created, changed or deleted.
  bool IsEmpty() const;
  const ClusterSpec& spec() const;  ///< with the location that was chosen
  const ClusterPrice& price() const;
  const std::vector<QuotaNeed>& quotas() const;
  const std::vector<std::string>& warnings() const;
  /// Returns whether a cluster of that name exists that PlanDown does not delete.
  bool keeps_cluster() const;
  /// Returns the jobs that would be lost with the cluster or node pool; only for PlanDown (their
  /// Kubernetes names) and PlanPoolRemoval (their IDs).
  const std::vector<std::string>& running_jobs() const;
  /// Returns why running_jobs() is unknown: the error with which they were listed. The caller must
  /// ask before it applies such a plan.
  const Status& running_jobs_status() const;

  /// Performs the steps, independent ones in parallel. If a step fails, the steps that depend on it
  /// are skipped and the others finish. May be repeated with a new plan, also after the process was
  /// killed.
  ///
  /// @errors  of the first step that failed: kPermissionDenied (with the role to ask for) ·
  ///          kResourceExhausted (quota, capacity) · kFailedPrecondition · kUnavailable ·
  ///          kCancelled.
  Status Apply(PlanObserver& observer, std::stop_token stop = {}) const;

  /// Returns the profile for jobs on the cluster, complete after Apply.
  Profile profile() const;
  /// Returns the users of spec() with their profiles, complete after Apply.
  std::vector<ClusterUser> users() const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace kinetic::inline v0
