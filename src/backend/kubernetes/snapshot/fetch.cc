#include "kinetic/try.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "base/concurrency/parallel.h"
#include "kube/object.h"
#include "record/task_id.h"

#include <array>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace kinetic::backend {
namespace {

/// Returns whether a resource is missing on this cluster or not accessible to this account. The
/// explanation is then less detailed.
bool IsNotForUs(const Error& error) {
  return error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kUnimplemented ||
         error.code == ErrorCode::kNotFound;
}

constexpr std::size_t kMaxRequests = 8;  ///< at once

class SnapshotFetch {
 public:
  SnapshotFetch(const kube::Client& client, std::string_view name_space, std::string_view id)
      : client_(client), name_space_(name_space), id_(id), names_(ObjectNamesOf(id)) {
    snapshot.job_id = id;
  }

  Status Job(const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(snapshot.job, client_.Get(kube::kJobs, name_space_, names_.job, stop));
    const auto task = record::ParseTaskId(id_);
    if (task && snapshot.job) snapshot.job = JobOfTask(*snapshot.job, task->task);
    return {};
  }

  Status Pods(const std::stop_token& stop) {
    return ListInto(snapshot.pods, kube::kPods, {.label_selector = names_.pod_selector}, stop);
  }

  /// Reads the pod that a task shares with others, once the number of its tasks is known.
  Status SharedPod(const std::stop_token& stop) {
    if (!snapshot.job || TasksPerPodOf(*snapshot.job) == 1) return {};
    if (!record::ParseTaskId(id_)) return {};
    names_ = ObjectNamesOf(id_, TasksPerPodOf(*snapshot.job));
    snapshot.pods.clear();
    return Pods(stop);
  }

  /// Reads one of the pods of an array that have not started, because it shows why they wait.
  Status WaitingPod(const std::stop_token& stop) {
    if (!snapshot.job || !IsArray(*snapshot.job)) return {};
    const kube::ListOptions query{.label_selector = ArraySelector(id_),
                                  .field_selector = "status.phase=Pending",
                                  .page_items = 1};
    const auto take = [&](const Value& pod) -> Status {
      snapshot.pods[std::string(kube::UidOf(pod))] = pod;
      return Fail(ErrorCode::kAborted, "one is enough");
    };
    const auto listed = client_.List(kube::kPods, name_space_, query, take, stop);
    if (!listed && listed.error().code != ErrorCode::kAborted) return Failure(listed.error());
    for (const auto& [uid, pod] : snapshot.pods) {
      const std::string_view name = kube::NameOf(pod);
      names_.pods = name.substr(0, name.rfind('-'));
    }
    return {};
  }

  Status JobEvents(const std::stop_token& stop) { return Events(EventsOf(names_.job), stop); }

  /// Reads the events of the pods, also of deleted ones that the Job's events name. These expire,
  /// so without a name it reads the events of all pods in the namespace.
  Status PodEvents(const std::stop_token& stop) {
    std::set<std::string> found;
    for (const auto& [uid, pod] : snapshot.pods) found.emplace(kube::NameOf(pod));
    for (const auto& [uid, event] : snapshot.events) {
      if (IsPodOf(PodNamedBy(event), names_)) found.emplace(PodNamedBy(event));
    }
    const bool has_tasks = record::ParseTaskId(id_) || (snapshot.job && IsArray(*snapshot.job));
    if (found.empty() && has_tasks) return {};
    if (found.empty())
      return Events({.label_selector = {}, .field_selector = "involvedObject.kind=Pod"}, stop);
    const std::vector<std::string> names(found.begin(), found.end());
    return ParallelFor(kMaxRequests, names.size(), stop,
                       [&](std::size_t name, const std::stop_token& part_stop) {
                         return Events(EventsOf(names[name]), part_stop);
                       });
  }

  Status Nodes(const std::stop_token& stop) {
    const auto listed = ListInto(snapshot.nodes, kube::kNodes, "", stop);
    snapshot.nodes_known = listed.has_value();
    return Tolerate(listed);
  }

  Status Quotas(const std::stop_token& stop) {
    return Tolerate(ListInto(snapshot.quotas, kube::kResourceQuotas, name_space_, stop));
  }

  /// Lists the pods of all namespaces, because they use resources of the nodes.
  Status OtherPods(const std::stop_token& stop) {
    return Tolerate(ListInto(snapshot.other_pods, kube::kPods, "", stop));
  }

  /// Reads the nodes of the pods that were found, because there may be many others.
  Status NodesOfPods(const std::stop_token& stop) {
    std::set<std::string> nodes;
    for (const auto& [uid, pod] : snapshot.pods) {
      nodes.emplace(kube::TextAt(pod, {"spec", "nodeName"}));
    }
    nodes.erase("");
    for (const std::string& name : nodes) KINETIC_RETURN_IF_ERROR(Tolerate(Node(name, stop)));
    return {};
  }

  ClusterSnapshot snapshot;

 private:
  Status Events(const kube::ListOptions& query, const std::stop_token& stop) {
    const auto each = [&](const Value& event) -> Status {
      if (!IsEventOf(event, names_)) return {};
      const std::lock_guard lock(mutex_);
      snapshot.events[std::string(kube::UidOf(event))] = event;
      return {};
    };
    const auto listed = client_.List(kube::kEvents, name_space_, query, each, stop);
    if (listed) return {};
    return Tolerate(Failure(listed.error()));
  }

  Status Node(const std::string& name, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(auto node, client_.Get(kube::kNodes, "", name, stop));
    if (node) {
      snapshot.nodes.push_back(*std::move(node));
    } else {
      snapshot.missing_nodes.push_back(name);
    }
    return {};
  }

  static Status Tolerate(const Status& status) {
    if (status || IsNotForUs(status.error())) return {};
    return status;
  }

  Status ListInto(std::map<std::string, Value>& objects, const kube::Resource& resource,
                  const kube::ListOptions& query, const std::stop_token& stop) {
    const auto each = [&](const Value& object) -> Status {
      objects[std::string(kube::UidOf(object))] = object;
      return {};
    };
    const auto listed = client_.List(resource, name_space_, query, each, stop);
    if (!listed) return Failure(listed.error());
    return {};
  }

  Status ListInto(std::vector<Value>& objects, const kube::Resource& resource,
                  std::string_view name_space, const std::stop_token& stop) {
    const auto each = [&](const Value& object) -> Status {
      objects.push_back(object);
      return {};
    };
    const auto listed = client_.List(resource, name_space, {}, each, stop);
    if (!listed) return Failure(listed.error());
    return {};
  }

  const kube::Client& client_;
  const std::string name_space_;
  const std::string id_;
  ObjectNames names_;
  std::mutex mutex_;  ///< of the events
};

}  // namespace

Result<ClusterSnapshot> FetchSnapshot(const kube::Client& client, std::string_view name_space,
                                      std::string_view id, Detail detail, std::stop_token stop) {
  SnapshotFetch fetch(client, name_space, id);
  using Part = Status (SnapshotFetch::*)(const std::stop_token&);
  constexpr std::array<Part, 6> kParts{&SnapshotFetch::Job,       &SnapshotFetch::Pods,
                                       &SnapshotFetch::JobEvents, &SnapshotFetch::Nodes,
                                       &SnapshotFetch::Quotas,    &SnapshotFetch::OtherPods};
  constexpr std::array<std::size_t, 3> kPartsOf{2, 3, kParts.size()};  // by Detail
  const std::size_t parts = kPartsOf.at(static_cast<std::size_t>(detail));
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(parts, parts, stop, [&](std::size_t part, const std::stop_token& part_stop) {
        return (fetch.*kParts.at(part))(part_stop);
      }));
  KINETIC_RETURN_IF_ERROR(fetch.SharedPod(stop));
  if (detail == Detail::kCause) KINETIC_RETURN_IF_ERROR(fetch.WaitingPod(stop));
  if (detail != Detail::kState) KINETIC_RETURN_IF_ERROR(fetch.PodEvents(stop));
  if (detail == Detail::kEnd) KINETIC_RETURN_IF_ERROR(fetch.NodesOfPods(stop));
  fetch.snapshot.job_existed = fetch.snapshot.job.has_value();
  return std::move(fetch.snapshot);
}

}  // namespace kinetic::backend
