#include "kinetic/try.h"

#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/lifecycle/failover.h"
#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/lifecycle/shared_pods.h"
#include "backend/kubernetes/manifest/fallback_annotations.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/kubernetes/snapshot/job_monitor.h"
#include "pod/container.h"
#include "record/json_fields.h"
#include "record/object_names.h"
#include "record/task_id.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

/// Returns the outcome in the collector's last line, or nullopt for "unknown".
std::optional<JobState> StateNamed(std::string_view name) {
  const auto state = record::ParseJobState(name);
  return state && IsTerminal(*state) ? state : std::nullopt;
}

/// Interval of checks for a pod whose node does not respond or whose Job was deleted.
constexpr std::chrono::seconds kSilencePoll{2};

/// Returns whether the node stopped responding while the program was running. The cluster then
/// marks the pod as not ready.
bool IsSilent(const ClusterSnapshot& snapshot) {
  const auto pods = snapshot.PodsInOrder();
  if (pods.empty() || HasEnded(*pods.back(), pod::kMainContainer)) return false;
  const Value* ready = ConditionOf(*pods.back(), "Ready");
  return HasStarted(*pods.back(), pod::kMainContainer) && ready != nullptr &&
         TextAt(*ready, {"status"}) == "False";
}

/// Returns whether the Job of an array has ended, and the end of its pods is awaited.
bool FinishesSoon(const Value& job) {
  return IsArray(job) && (IsConditionTrue(job, "Failed") || IsConditionTrue(job, "Complete"));
}

class Watching {
 public:
  Watching(const WatchedJob& job, const std::function<Status(const Observation&)>& each)
      : job_(job),
        each_(each),
        is_task_(record::ParseTaskId(job.id).has_value()),
        ended_(job.store, job.id) {}

  Status Run(const std::stop_token& stop) {
    JobMonitor::View view = job_.monitor.Current();
    for (;;) {
      if (view.complete) {
        KINETIC_ASSIGN_OR_RETURN(const bool over, Show(view, stop));
        if (over) return {};
        if (is_task_) {  // its job decides
          KINETIC_ASSIGN_OR_RETURN(view, job_.monitor.Await(view.version, NextCheck(view), stop));
          continue;
        }
        KINETIC_ASSIGN_OR_RETURN(const bool replaced, TryNextAccelerator(view, stop));
        if (replaced) continue;
        if (view.snapshot.job) KINETIC_RETURN_IF_ERROR(GiveUpIfHopeless(view, stop));
      }
      KINETIC_ASSIGN_OR_RETURN(view, job_.monitor.Await(view.version, NextCheck(view), stop));
    }
  }

 private:
  /// Reports the state. Returns whether the watch is over.
  Result<bool> Show(const JobMonitor::View& view, const std::stop_token& stop) {
    if (!view.snapshot.job) return ShowWithoutJob(view.snapshot);
    Observation now = ObservationOf(view.snapshot, job_.clock.Now());
    if (IsArray(*view.snapshot.job) && TasksPerPodOf(*view.snapshot.job) > 1) {
      KINETIC_RETURN_IF_ERROR(ended_.Correct(now.status, stop));
    }
    KINETIC_ASSIGN_OR_RETURN(const bool stored, IsStored(view.snapshot, stop));
    if (stored) now.alive = false;
    if (view.snapshot.end) {
      if (const auto state = StateNamed(view.snapshot.end->outcome)) now.status.state = *state;
    }
    if (!view.connection_error.empty())
      now.status.reason = "the API server is unavailable: " + view.connection_error;
    if (IsNews(now)) KINETIC_RETURN_IF_ERROR(each_(now));
    return !now.alive;
  }

  /// The Job does not exist yet, or it was deleted. If it has no pods either, the caller checks the
  /// store.
  Result<bool> ShowWithoutJob(const ClusterSnapshot& snapshot) {
    const auto ending = ObserveDeleted(snapshot, job_.clock.Now());
    if (!ending) return true;
    if (IsNews(*ending)) KINETIC_RETURN_IF_ERROR(each_(*ending));
    return false;
  }

  bool IsNews(const Observation& now) {
    const bool same =
        told_ && told_->alive == now.alive && told_->status.state == now.status.state &&
        told_->status.phase == now.status.phase && told_->status.reason == now.status.reason &&
        told_->status.attempt == now.status.attempt;
    told_ = now;
    return !same;
  }

  /// Returns whether the outcome is in the store. Queries the store if a program has ended, or may
  /// have ended, and the collector's last line was not read.
  Result<bool> IsStored(const ClusterSnapshot& snapshot, const std::stop_token& stop) {
    if (IsArray(*snapshot.job)) return false;  // clients write it
    if (TasksPerPodOf(*snapshot.job) > 1) return HasResult(stop);
    if (snapshot.end) return StateNamed(snapshot.end->outcome).has_value();
    if (!IsSilent(snapshot)) {
      const auto pods = snapshot.PodsInOrder();
      if (pods.empty() || !HasEnded(*pods.back(), pod::kMainContainer)) return false;
      const std::string uid(UidOf(*pods.back()));
      if (looked_for_ == uid) return false;
      looked_for_ = uid;
    }
    return HasResult(stop);
  }

  Result<bool> HasResult(const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const auto result, job_.store.Stat(record::ResultName(job_.id), stop));
    return result.has_value();
  }

  /// Returns whether another Job has replaced the one in `view`.
  Result<bool> TryNextAccelerator(JobMonitor::View& view, const std::stop_token& stop) {
    if (!view.snapshot.job) return false;
    const FallbackDecision decision = DecideFallback(view.snapshot.ViewAt(job_.clock.Now()));
    fallback_deadline_ = decision.until;
    if (!decision.is_over || gave_up_) return false;
    KINETIC_ASSIGN_OR_RETURN(
        const bool replaced,
        StartFailover({job_.client, job_.name_space, job_.store, job_.clock, job_.id},
                      view.snapshot, decision.reason, stop));
    if (!replaced) return false;
    const std::string old(UidOf(*view.snapshot.job));
    while (view.snapshot.job && UidOf(*view.snapshot.job) == old) {
      KINETIC_ASSIGN_OR_RETURN(view, job_.monitor.Await(view.version, std::nullopt, stop));
    }
    return true;
  }

  Status GiveUpIfHopeless(const JobMonitor::View& view, const std::stop_token& stop) {
    const auto hopeless = GiveUp(view.snapshot.ViewAt(job_.clock.Now()));
    if (!hopeless || gave_up_) return {};
    gave_up_ = true;
    return EndJob(job_, {.cause = hopeless->cause, .reason = hopeless->headline}, stop);
  }

  /// Returns the start deadline: of all accelerators, or of the current one.
  std::optional<WallTime> NextDeadline(const Value& job) const {
    const auto pending = RequestedLimitsOf(job).pending;
    const auto submitted = SubmittedAt(job);
    if (!pending || !submitted) return fallback_deadline_;
    const WallTime late = *submitted + *pending;
    return fallback_deadline_ ? std::min(late, *fallback_deadline_) : late;
  }

  /// Returns when to check without an event: at a deadline, or to poll the store, for example for
  /// the ends of tasks that share a pod.
  std::optional<SteadyTime> NextCheck(const JobMonitor::View& view) const {
    const bool is_ending = view.snapshot.job && FinishesSoon(*view.snapshot.job);
    const bool shares_pod = view.snapshot.job && TasksPerPodOf(*view.snapshot.job) > 1;
    if (is_ending || shares_pod || IsSilent(view.snapshot) || !view.snapshot.job)
      return job_.clock.Steady() + kSilencePoll;
    if (gave_up_ || is_task_) return std::nullopt;
    const auto deadline = NextDeadline(*view.snapshot.job);
    if (!deadline) return std::nullopt;
    const auto left = *deadline - job_.clock.Now();
    if (left < std::chrono::seconds(-10)) return std::nullopt;
    return job_.clock.Steady() + std::max<WallTime::duration>(left, std::chrono::seconds(1));
  }

  const WatchedJob& job_;
  const std::function<Status(const Observation&)>& each_;
  const bool is_task_;
  EndedCounts ended_;  ///< of an array whose tasks share pods
  std::optional<Observation> told_;
  std::string looked_for_;  ///< pod after whose end the store was queried
  bool gave_up_ = false;
  std::optional<WallTime> fallback_deadline_;  ///< deadline of this accelerator at present
};

}  // namespace

Status WatchJob(const WatchedJob& job, const std::function<Status(const Observation&)>& each,
                std::stop_token stop) {
  return Watching(job, each).Run(stop);
}

}  // namespace kinetic::backend
