#include "backend/kubernetes/lifecycle/failover.h"

#include "kinetic/try.h"

#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/manifest/fallback_annotations.h"
#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "kube/object.h"
#include "pod/collect_request.h"
#include "pod/container.h"
#include "record/object_names.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

/// Poll interval for a Job that is being deleted.
constexpr std::chrono::milliseconds kRemovalPoll{100};

/// Returns whether the job's container uses its Secret.
bool HasSecret(const Value& job) {
  const std::string_view name = NameOf(job);
  for (const Value& container : ListAt(job, {"spec", "template", "spec", "containers"})) {
    const Value::List& variables = ListAt(container, {"env"});
    const bool found = std::ranges::any_of(variables, [&](const Value& variable) {
      return TextAt(variable, {"valueFrom", "secretKeyRef", "name"}) == name;
    });
    if (found) return true;
  }
  return false;
}

/// The plan in the store while one Job replaces another.
struct Plan {
  std::string replaced_uid;
  Value next;
};

std::string ToJson(const Plan& plan) {
  return Value(Value::Map{{"version", 1}, {"replaces", plan.replaced_uid}, {"job", plan.next}})
      .ToJson();
}

/// The result of removing a Job's pods, which had no node when they were observed.
enum class PodRemoval : std::uint8_t {
  kRemoved,
  kPlaced,   ///< one of them has a node
  kChanged,  ///< one of them was deleted or updated
};

bool HasNode(const Value& pod) { return !TextAt(pod, {"spec", "nodeName"}).empty(); }

struct StoredPlan {
  Plan plan;
  store::ObjectInfo info;
};

class Failover {
 public:
  Failover(const FailoverContext& job, std::stop_token stop)
      : job_(job), name_(JobNameOf(job.id)), stop_(std::move(stop)) {}

  Result<PodRemoval> RemovePods(const ClusterSnapshot& snapshot) const {
    for (const auto& [uid, pod] : snapshot.pods) {
      if (HasNode(pod)) return PodRemoval::kPlaced;
      // The version changes when the pod gets a node.
      const kube::DeleteOptions as_seen{.grace = std::chrono::seconds(0),
                                        .uid = uid,
                                        .version = std::string(kube::ResourceVersionOf(pod))};
      KINETIC_ASSIGN_OR_RETURN(const bool removed, job_.client.Delete(kube::kPods, job_.name_space,
                                                                      NameOf(pod), as_seen, stop_));
      if (removed) continue;
      KINETIC_ASSIGN_OR_RETURN(const auto now,
                               job_.client.Get(kube::kPods, job_.name_space, NameOf(pod), stop_));
      return now && UidOf(*now) == uid && HasNode(*now) ? PodRemoval::kPlaced
                                                        : PodRemoval::kChanged;
    }
    return PodRemoval::kRemoved;
  }

  /// Removes the owner, with which the Secret would be deleted.
  Status ReleaseSecret(const Value& old) const {
    if (!HasSecret(old)) return {};
    const Value no_owner = Value::Map{{"metadata", Value::Map{{"ownerReferences", nullptr}}}};
    return PatchSecret(no_owner);
  }

  Status RemoveJob(const Value& old) const {
    const std::string uid(UidOf(old));
    const auto removed =
        job_.client.Delete(kube::kJobs, job_.name_space, name_, {.uid = uid}, stop_);
    if (!removed) return Failure(removed.error());
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(const auto there,
                               job_.client.Get(kube::kJobs, job_.name_space, name_, stop_));
      if (!there || UidOf(*there) != uid) return {};
      KINETIC_RETURN_IF_ERROR(job_.clock.Sleep(kRemovalPoll, stop_));
    }
  }

  /// An existing Job with this name belongs to the job.
  Status CreateJob(const Value& next) const {
    KINETIC_ASSIGN_OR_RETURN(const auto created,
                             job_.client.Create(kube::kJobs, job_.name_space, next, stop_));
    if (!HasSecret(next)) return {};
    return PatchSecret(OwnerPatch(created.object));
  }

  /// A client that ends a job first writes the cause and then looks for the Job. A client that
  /// creates a Job checks for a cause afterwards.
  Result<bool> MayCreate() const {
    for (const std::string& name : {record::ResultName(job_.id), pod::CancelName(job_.id)}) {
      KINETIC_ASSIGN_OR_RETURN(const auto there, job_.store.Stat(name, stop_));
      if (there) return false;
    }
    return true;
  }

  /// Returns nullopt if no Job is being replaced.
  Result<std::optional<StoredPlan>> ReadPlan() const {
    const std::string name = record::NextJobName(job_.id);
    KINETIC_ASSIGN_OR_RETURN(const auto info, job_.store.Stat(name, stop_));
    if (!info) return std::optional<StoredPlan>();
    KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(job_.store, name, stop_));
    if (!json) return std::optional<StoredPlan>();
    KINETIC_ASSIGN_OR_RETURN(const Value value, Value::FromJson(*json));
    const Value* next = value.Find("job");
    if (next == nullptr) return Fail(ErrorCode::kDataLoss, name + " does not contain a Job");
    return std::optional(StoredPlan{{std::string(TextAt(value, {"replaces"})), *next}, *info});
  }

  /// Announces that another Job replaces the one with this UID. If another client has announced it,
  /// that client's plan applies. The plan of an earlier failover is overwritten.
  ///
  /// @returns  nullopt: another client's plan applies.
  Result<std::optional<store::ObjectInfo>> Announce(const Plan& plan) const {
    KINETIC_ASSIGN_OR_RETURN(const auto stored, ReadPlan());
    if (stored && stored->plan.replaced_uid == plan.replaced_uid) {
      return std::optional<store::ObjectInfo>();
    }
    const auto unchanged = stored ? store::Precondition::Generation(stored->info.generation)
                                  : store::Precondition::Absent();
    return store::PutBytes(job_.store, record::NextJobName(job_.id), ToJson(plan), unchanged,
                           stop_);
  }

  /// Keeps a plan that has replaced it.
  Status DropPlan(const store::ObjectInfo& plan) const {
    const auto removed = job_.store.RemoveIfUnchanged(plan, stop_);
    if (!removed) return Failure(removed.error());
    return {};
  }

 private:
  Status PatchSecret(const Value& patch) const {
    const auto patched = job_.client.Patch(kube::kSecrets, job_.name_space, name_, patch, stop_);
    if (!patched) return Failure(patched.error());
    return {};
  }

  const FailoverContext& job_;
  const std::string name_;
  const std::stop_token stop_;
};

}  // namespace

Result<bool> StartFailover(const FailoverContext& job, const ClusterSnapshot& snapshot,
                           std::string_view reason, std::stop_token stop) {
  const Failover failover(job, stop);
  KINETIC_ASSIGN_OR_RETURN(Value next, MakeNextJob(*snapshot.job, reason, job.clock.Now()));
  const Plan plan{std::string(UidOf(*snapshot.job)), std::move(next)};
  KINETIC_ASSIGN_OR_RETURN(const auto announced, failover.Announce(plan));
  KINETIC_ASSIGN_OR_RETURN(const PodRemoval pods, failover.RemovePods(snapshot));
  // On kChanged, another client may have removed the pods and continue with the plan announced
  // here.
  if (pods == PodRemoval::kPlaced && announced)
    KINETIC_RETURN_IF_ERROR(failover.DropPlan(*announced));
  if (pods != PodRemoval::kRemoved) return false;
  KINETIC_RETURN_IF_ERROR(failover.ReleaseSecret(*snapshot.job));
  KINETIC_RETURN_IF_ERROR(failover.RemoveJob(*snapshot.job));
  KINETIC_RETURN_IF_ERROR(ResumeFailover(job, std::move(stop)));
  return true;
}

Result<bool> ResumeFailover(const FailoverContext& job, std::stop_token stop) {
  const Failover failover(job, stop);
  KINETIC_ASSIGN_OR_RETURN(const auto stored, failover.ReadPlan());
  if (!stored) return false;
  KINETIC_ASSIGN_OR_RETURN(bool create, failover.MayCreate());
  if (create) {
    KINETIC_RETURN_IF_ERROR(failover.CreateJob(stored->plan.next));
    KINETIC_ASSIGN_OR_RETURN(const auto cause, pod::ReadStopCause(job.store, job.id, stop));
    create = !cause;
    if (cause) {
      KINETIC_RETURN_IF_ERROR(SuspendJob(job.client, job.name_space, job.id, cause->cause, stop));
    }
  }
  KINETIC_RETURN_IF_ERROR(failover.DropPlan(stored->info));
  return create;
}

Status DropFailover(store::Store& store, std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto plan, store.Stat(record::NextJobName(id), stop));
  if (!plan) return {};
  const auto removed = store.RemoveIfUnchanged(*plan, std::move(stop));
  if (!removed) return Failure(removed.error());
  return {};
}

}  // namespace kinetic::backend
