#include "backend/kubernetes/snapshot/inspect.h"

#include "backend/kubernetes/manifest/names.h"
#include "base/concurrency/parallel.h"
#include "base/try.h"
#include "kube/object.h"

#include <array>
#include <functional>
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

class ClusterInspection {
 public:
  ClusterInspection(const kube::Client& client, std::string_view name_space, std::string_view id)
      : client_(client), name_space_(name_space), id_(id), job_name_(JobNameOf(id)) {
    observed.job_id = id;
  }

  Status Job(const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(observed.job, client_.Get(kube::kJobs, name_space_, job_name_, stop));
    return {};
  }

  Status Pods(const std::stop_token& stop) {
    return ListInto(observed.pods, kube::kPods, {.label_selector = JobSelector(id_)}, stop);
  }

  Status Events(const std::stop_token& stop) {
    const Status listed = ListInto(observed.events, kube::kEvents, {}, stop);
    std::erase_if(observed.events,
                  [&](const auto& event) { return !IsEventOf(event.second, job_name_); });
    return Tolerate(listed);
  }

  Status Nodes(const std::stop_token& stop) {
    const auto listed = ListInto(observed.nodes, kube::kNodes, "", stop);
    observed.nodes_known = listed.has_value();
    return Tolerate(listed);
  }

  Status Quotas(const std::stop_token& stop) {
    return Tolerate(ListInto(observed.quotas, kube::kResourceQuotas, name_space_, stop));
  }

  /// Lists the pods of all namespaces, because they use resources of the nodes.
  Status OtherPods(const std::stop_token& stop) {
    return Tolerate(ListInto(observed.other_pods, kube::kPods, "", stop));
  }

  /// Reads events and nodes of the pods that were found, because there may be many others. The
  /// names of deleted pods are unknown.
  Status Surroundings(const std::stop_token& stop) {
    if (observed.pods.empty()) return Events(stop);
    std::vector<std::string> names = {job_name_};
    std::set<std::string> nodes;
    for (const auto& [uid, pod] : observed.pods) {
      names.emplace_back(kube::NameOf(pod));
      nodes.emplace(kube::TextAt(pod, {"spec", "nodeName"}));
    }
    nodes.erase("");
    for (const std::string& name : names) {
      KINETIC_RETURN_IF_ERROR(Tolerate(
          ListInto(observed.events, kube::kEvents,
                   {.label_selector = {}, .field_selector = "involvedObject.name=" + name}, stop)));
    }
    for (const std::string& name : nodes) KINETIC_RETURN_IF_ERROR(Tolerate(Node(name, stop)));
    return {};
  }

  Observed observed;

 private:
  Status Node(const std::string& name, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(auto node, client_.Get(kube::kNodes, "", name, stop));
    if (node) {
      observed.nodes.push_back(*std::move(node));
    } else {
      observed.nodes_gone.push_back(name);
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
  const std::string job_name_;
};

}  // namespace

Result<Observed> LookAtJob(const kube::Client& client, std::string_view name_space,
                           std::string_view id, Depth depth, std::stop_token stop) {
  ClusterInspection look(client, name_space, id);
  using Part = Status (ClusterInspection::*)(const std::stop_token&);
  constexpr std::array<Part, 6> kParts{&ClusterInspection::Job,    &ClusterInspection::Pods,
                                       &ClusterInspection::Events, &ClusterInspection::Nodes,
                                       &ClusterInspection::Quotas, &ClusterInspection::OtherPods};
  const std::size_t parts = depth == Depth::kCause ? kParts.size() : 2;
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(parts, parts, stop, [&](std::size_t part, const std::stop_token& part_stop) {
        return (look.*kParts.at(part))(part_stop);
      }));
  if (depth == Depth::kEnd) KINETIC_RETURN_IF_ERROR(look.Surroundings(stop));
  look.observed.job_was_there = look.observed.job.has_value();
  return std::move(look.observed);
}

Observation ObservationOf(const Observed& observed, WallTime now) {
  Observation observation;
  observation.status = StateOf(observed.SituationAt(now));
  const bool stopped = observed.job && IsStopped(*observed.job) && NothingRuns(observed);
  observation.alive = !stopped && !IsTerminal(observation.status.state);
  return observation;
}

}  // namespace kinetic::backend
