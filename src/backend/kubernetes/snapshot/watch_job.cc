#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/fallback/annotations.h"
#include "backend/kubernetes/fallback/failover.h"
#include "backend/kubernetes/lifecycle/cancel.h"
#include "backend/kubernetes/object_fields.h"
#include "backend/kubernetes/snapshot/inspect.h"
#include "backend/kubernetes/snapshot/job_monitor.h"
#include "base/try.h"
#include "pod/container.h"
#include "record/json_fields.h"
#include "record/object_names.h"

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

/// Poll interval of the store for the outcome of a pod whose node does not respond.
constexpr std::chrono::seconds kSilenceLook{2};

/// Returns whether the node stopped responding while the program was running. The cluster then
/// marks the pod as not ready.
bool IsSilent(const Observed& observed) {
  const auto pods = observed.PodsInOrder();
  if (pods.empty() || HasEnded(*pods.back(), pod::kMainContainer)) return false;
  const Value* ready = ConditionOf(*pods.back(), "Ready");
  return HasStarted(*pods.back(), pod::kMainContainer) && ready != nullptr &&
         TextAt(*ready, {"status"}) == "False";
}

class Watching {
 public:
  Watching(const WatchedJob& job, const std::function<Status(const Observation&)>& each)
      : job_(job), each_(each) {}

  Status Run(const std::stop_token& stop) {
    JobMonitor::View view = job_.monitor.Look();
    for (;;) {
      if (view.complete) {
        KINETIC_ASSIGN_OR_RETURN(const bool over, Show(view, stop));
        if (over) return {};
        KINETIC_ASSIGN_OR_RETURN(const bool moved, TryNextAccelerator(view, stop));
        if (moved) continue;
        KINETIC_RETURN_IF_ERROR(GiveUpIfHopeless(view, stop));
      }
      KINETIC_ASSIGN_OR_RETURN(view, job_.monitor.Await(view.version, NextLook(view), stop));
    }
  }

 private:
  /// Reports the state. Returns whether the watch is over.
  Result<bool> Show(const JobMonitor::View& view, const std::stop_token& stop) {
    if (!view.observed.job) {
      // The Job does not exist yet or any more. The caller checks the store.
      return true;
    }
    Observation now = ObservationOf(view.observed, job_.clock.Now());
    KINETIC_ASSIGN_OR_RETURN(const bool stored, IsStored(view.observed, stop));
    if (stored) now.alive = false;
    if (view.observed.end) {
      if (const auto state = StateNamed(view.observed.end->outcome)) now.status.state = *state;
    }
    if (!view.trouble.empty()) now.status.reason = "the API server is unavailable: " + view.trouble;
    if (IsNews(now)) KINETIC_RETURN_IF_ERROR(each_(now));
    return !now.alive;
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
  Result<bool> IsStored(const Observed& observed, const std::stop_token& stop) {
    if (observed.end) return StateNamed(observed.end->outcome).has_value();
    if (!IsSilent(observed)) {
      const auto pods = observed.PodsInOrder();
      if (pods.empty() || !HasEnded(*pods.back(), pod::kMainContainer)) return false;
      const std::string uid(UidOf(*pods.back()));
      if (looked_for_ == uid) return false;
      looked_for_ = uid;
    }
    KINETIC_ASSIGN_OR_RETURN(const auto result, job_.store.Stat(record::ResultName(job_.id), stop));
    return result.has_value();
  }

  /// Returns whether another Job has replaced the one in `view`.
  Result<bool> TryNextAccelerator(JobMonitor::View& view, const std::stop_token& stop) {
    const Patience patience = PatienceWith(view.observed.SituationAt(job_.clock.Now()));
    patience_until_ = patience.until;
    if (!patience.is_over || gave_up_) return false;
    KINETIC_ASSIGN_OR_RETURN(const bool moved,
                             MoveOn({job_.client, job_.name_space, job_.store, job_.clock, job_.id},
                                    view.observed, patience.reason, stop));
    if (!moved) return false;
    const std::string old(UidOf(*view.observed.job));
    while (view.observed.job && UidOf(*view.observed.job) == old) {
      KINETIC_ASSIGN_OR_RETURN(view, job_.monitor.Await(view.version, std::nullopt, stop));
    }
    return true;
  }

  Status GiveUpIfHopeless(const JobMonitor::View& view, const std::stop_token& stop) {
    const auto now = job_.clock.Now();
    const auto situation = view.observed.SituationAt(now);
    const auto hopeless = GiveUp(situation);
    if (!hopeless || gave_up_) return {};
    gave_up_ = true;
    return EndJob(job_, {.cause = hopeless->cause, .reason = hopeless->headline}, stop);
  }

  /// Returns the start deadline: of all accelerators, or of the current one.
  std::optional<WallTime> NextDeadline(const Value& job) const {
    const auto pending = WantedOf(job).pending;
    const auto submitted = SubmittedAt(job);
    if (!pending || !submitted) return patience_until_;
    const WallTime late = *submitted + *pending;
    return patience_until_ ? std::min(late, *patience_until_) : late;
  }

  /// Returns when to check without an event: at a deadline, or to poll the store.
  std::optional<SteadyTime> NextLook(const JobMonitor::View& view) const {
    if (IsSilent(view.observed)) return job_.clock.Steady() + kSilenceLook;
    if (!view.observed.job || gave_up_) return std::nullopt;
    const auto deadline = NextDeadline(*view.observed.job);
    if (!deadline) return std::nullopt;
    const auto left = *deadline - job_.clock.Now();
    if (left < std::chrono::seconds(-10)) return std::nullopt;
    return job_.clock.Steady() + std::max<WallTime::duration>(left, std::chrono::seconds(1));
  }

  const WatchedJob& job_;
  const std::function<Status(const Observation&)>& each_;
  std::optional<Observation> told_;
  std::string looked_for_;  ///< pod after whose end the store was queried
  bool gave_up_ = false;
  std::optional<WallTime> patience_until_;  ///< deadline of this accelerator at present
};

}  // namespace

Status WatchJob(const WatchedJob& job, const std::function<Status(const Observation&)>& each,
                std::stop_token stop) {
  return Watching(job, each).Run(stop);
}

}  // namespace kinetic::backend
