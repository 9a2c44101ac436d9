#include "kinetic/try.h"

#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/lifecycle/shared_pods.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "base/concurrency/parallel.h"
#include "pod/container.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace kinetic::backend {
namespace {

/// Time for the kubelet to report the end, in addition to the grace period.
constexpr std::chrono::seconds kForceAfter{20};
constexpr std::chrono::seconds kDefaultGrace{30};
/// Interval of the checks for the result of a task that shares its pod.
constexpr std::chrono::seconds kResultPoll{1};

std::chrono::seconds GraceOf(const ClusterSnapshot& snapshot) {
  if (!snapshot.job) return kDefaultGrace;
  const auto grace =
      IntAt(*snapshot.job, {"spec", "template", "spec", "terminationGracePeriodSeconds"});
  return grace ? std::chrono::seconds(*grace) : kDefaultGrace;
}

/// Deletes the pods that have not ended.
///
/// @param grace  nullopt: that of the pods.
Status DeletePods(const WatchedJob& job, const ClusterSnapshot& snapshot,
                  std::optional<std::chrono::seconds> grace, const std::stop_token& stop) {
  for (const auto& [uid, pod] : snapshot.pods) {
    if (HasEnded(pod)) continue;
    const auto removed = job.client.Delete(kube::kPods, job.name_space, NameOf(pod),
                                           {.grace = grace, .uid = uid}, stop);
    if (!removed) return Failure(removed.error());
  }
  return {};
}

/// Lists the pods of an array that have not ended, and deletes them by force.
Status ForceTasks(const WatchedJob& job, const std::stop_token& stop) {
  ClusterSnapshot left;
  const auto add = [&](const Value& pod) -> Status {
    left.pods[std::string(UidOf(pod))] = pod;
    return {};
  };
  KINETIC_RETURN_IF_ERROR(job.client.List(kube::kPods, job.name_space,
                                          {.label_selector = ArraySelector(job.id)}, add, stop));
  return DeletePods(job, left, std::chrono::seconds(0), stop);
}

/// Waits until no pod of the job runs. Pods that exceed their grace period are deleted by force.
///
/// @param has_job  whether the Job exists, which ends its pods. Otherwise they are deleted.
Status AwaitPods(const WatchedJob& job, bool has_job, const std::stop_token& stop) {
  auto view = job.monitor.Current();
  SteadyTime until = job.clock.Steady() + GraceOf(view.snapshot) + kForceAfter;
  bool are_ending = has_job;
  while (!view.complete || !AllPodsEnded(view.snapshot)) {
    if (view.complete && !are_ending) {
      KINETIC_RETURN_IF_ERROR(DeletePods(job, view.snapshot, std::nullopt, stop));
      are_ending = true;
    }
    KINETIC_ASSIGN_OR_RETURN(view, job.monitor.Await(view.version, until, stop));
    if (job.clock.Steady() < until) continue;
    const bool is_array = view.snapshot.job && IsArray(*view.snapshot.job);
    KINETIC_RETURN_IF_ERROR(is_array
                                ? ForceTasks(job, stop)
                                : DeletePods(job, view.snapshot, std::chrono::seconds(0), stop));
    until = job.clock.Steady() + kForceAfter;
  }
  return {};
}

/// Returns the pods of a task in which an attempt may run. One that starts later finds the
/// cancellation in the store.
ClusterSnapshot StartedPods(const ClusterSnapshot& snapshot) {
  ClusterSnapshot started = snapshot;
  std::erase_if(started.pods, [](const auto& pod) {
    return HasEnded(pod.second) || !HasStarted(pod.second, pod::kCollectorContainer);
  });
  return started;
}

/// Waits until the runner, which reads the cancellation from the store, has ended a task. The pod
/// continues with other tasks. Returns at once if the task has not started.
Status AwaitSharedTask(const WatchedJob& job, JobMonitor::View view, const std::stop_token& stop) {
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto state, ReadSharedTask(job.store, job.id, stop));
    if (state != SharedTaskState::kStarted || AllPodsEnded(view.snapshot)) return {};
    const SteadyTime until = job.clock.Steady() + kResultPoll;
    KINETIC_ASSIGN_OR_RETURN(view, job.monitor.Await(view.version, until, stop));
  }
}

}  // namespace

Status EndTask(const WatchedJob& job, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::PutBytes(job.store, pod::CancelName(job.id),
                                          ToJson(pod::StopCause{}), store::Precondition::Absent(),
                                          stop));
  auto view = job.monitor.Current();
  while (!view.complete) {
    KINETIC_ASSIGN_OR_RETURN(view, job.monitor.Await(view.version, std::nullopt, stop));
  }
  if (view.snapshot.job && TasksPerPodOf(*view.snapshot.job) > 1)
    return AwaitSharedTask(job, std::move(view), stop);
  const ClusterSnapshot first = StartedPods(view.snapshot);
  KINETIC_RETURN_IF_ERROR(DeletePods(job, first, std::nullopt, stop));
  SteadyTime until = job.clock.Steady() + GraceOf(view.snapshot) + kForceAfter;
  const auto is_left = [&](const auto& pod) {
    const auto now = view.snapshot.pods.find(pod.first);
    return now != view.snapshot.pods.end() && !HasEnded(now->second);
  };
  while (std::ranges::any_of(first.pods, is_left)) {
    KINETIC_ASSIGN_OR_RETURN(view, job.monitor.Await(view.version, until, stop));
    if (job.clock.Steady() < until) continue;
    KINETIC_RETURN_IF_ERROR(DeletePods(job, first, std::chrono::seconds(0), stop));
    until = job.clock.Steady() + kForceAfter;
  }
  return {};
}

Result<bool> SuspendJob(const kube::Client& client, std::string_view name_space,
                        std::string_view id, Cause cause, std::stop_token stop) {
  const Value::Map annotations{{std::string(kStoppedAnnotation), std::string(Name(cause))}};
  const Value suspend = Value::Map{{"metadata", Value::Map{{"annotations", annotations}}},
                                   {"spec", Value::Map{{"suspend", true}}}};
  KINETIC_ASSIGN_OR_RETURN(
      const auto suspended,
      client.Patch(kube::kJobs, name_space, JobNameOf(id), suspend, std::move(stop)));
  return suspended.has_value();
}

Status EndJob(const WatchedJob& job, const pod::StopCause& cause, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::PutBytes(job.store, pod::CancelName(job.id), ToJson(cause),
                                          store::Precondition::Absent(), stop));
  KINETIC_ASSIGN_OR_RETURN(const bool suspended,
                           SuspendJob(job.client, job.name_space, job.id, cause.cause, stop));
  return AwaitPods(job, suspended, stop);
}

Status RemoveObjects(const kube::Client& client, std::string_view name_space, std::string_view id,
                     bool may_have_secret, std::stop_token stop) {
  const std::string name = JobNameOf(id);
  const std::size_t objects = may_have_secret ? 2 : 1;
  return ParallelFor(objects, objects, stop,
                     [&](std::size_t which, const std::stop_token& part_stop) -> Status {
                       const auto removed = client.Delete(which == 0 ? kube::kJobs : kube::kSecrets,
                                                          name_space, name, {}, part_stop);
                       if (removed) return {};
                       // An account that cannot create Secrets has none to delete.
                       if (which == 1 && removed.error().code == ErrorCode::kPermissionDenied)
                         return {};
                       return Failure(removed.error());
                     });
}

}  // namespace kinetic::backend
