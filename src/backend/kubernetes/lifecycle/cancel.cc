#include "kinetic/try.h"

#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/object_fields.h"
#include "backend/kubernetes/snapshot/observe.h"
#include "base/concurrency/parallel.h"

#include <string>
#include <utility>
#include <vector>

namespace kinetic::backend {
namespace {

/// Time for the kubelet to report the end, in addition to the grace period.
constexpr std::chrono::seconds kForceAfter{20};
constexpr std::chrono::seconds kDefaultGrace{30};

std::chrono::seconds GraceOf(const ClusterSnapshot& snapshot) {
  if (!snapshot.job) return kDefaultGrace;
  const auto grace =
      IntAt(*snapshot.job, {"spec", "template", "spec", "terminationGracePeriodSeconds"});
  return grace ? std::chrono::seconds(*grace) : kDefaultGrace;
}

Status ForceAll(const WatchedJob& job, const ClusterSnapshot& snapshot,
                const std::stop_token& stop) {
  for (const auto& [uid, pod] : snapshot.pods) {
    if (HasEnded(pod)) continue;
    const auto removed = job.client.Delete(kube::kPods, job.name_space, NameOf(pod),
                                           {.grace = std::chrono::seconds(0), .uid = uid}, stop);
    if (!removed) return Failure(removed.error());
  }
  return {};
}

/// Deletes the pods of a job whose Job was deleted without them.
Status DeletePods(const WatchedJob& job, const std::stop_token& stop) {
  std::vector<std::string> names;
  const auto add = [&](const Value& pod) -> Status {
    if (!HasEnded(pod)) names.emplace_back(NameOf(pod));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(
      job.client.List(kube::kPods, job.name_space,
                      {.label_selector = JobSelector(job.id), .field_selector = {}}, add, stop));
  for (const std::string& name : names) {
    const auto removed = job.client.Delete(kube::kPods, job.name_space, name, {}, stop);
    if (!removed) return Failure(removed.error());
  }
  return {};
}

/// Waits until no pod of the job runs. Pods that exceed their grace period are deleted by force.
Status AwaitPods(const WatchedJob& job, const std::stop_token& stop) {
  auto view = job.monitor.Current();
  SteadyTime until = job.clock.Steady() + GraceOf(view.snapshot) + kForceAfter;
  while (!view.complete || !AllPodsEnded(view.snapshot)) {
    KINETIC_ASSIGN_OR_RETURN(view, job.monitor.Await(view.version, until, stop));
    if (job.clock.Steady() < until) continue;
    KINETIC_RETURN_IF_ERROR(ForceAll(job, view.snapshot, stop));
    until = job.clock.Steady() + kForceAfter;
  }
  return {};
}

}  // namespace

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
  if (!suspended) KINETIC_RETURN_IF_ERROR(DeletePods(job, stop));
  return AwaitPods(job, stop);
}

Status RemoveObjects(const kube::Client& client, std::string_view name_space, std::string_view id,
                     std::stop_token stop) {
  const std::string name = JobNameOf(id);
  return ParallelFor(2, 2, stop,
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
