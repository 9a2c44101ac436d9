#include "kinetic/cluster.h"
#include "kinetic/cluster_status.h"
#include "kinetic/try.h"

#include "google/api/services.h"
#include "json/document.h"
#include "provision/cluster_access.h"
#include "provision/compute_lists.h"
#include "provision/location.h"
#include "provision/plan.h"
#include "provision/resources/all.h"
#include "provision/user.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace kinetic::inline v0 {
namespace {

using provision::Resource;
using State = ClusterPlan::State;

/// Returns whether a resource is to be removed.
Result<bool> IsRemoved(Resource& resource, bool purge, std::stop_token stop) {
  if (resource.Kind() == "bucket" && !purge) return false;
  return resource.IsOurs(std::move(stop));
}

bool RemovesCluster(const State& state) {
  return std::ranges::any_of(state.resources,
                             [](const auto& resource) { return resource->Kind() == "cluster"; });
}

Result<std::vector<std::string>> ListJobsOf(const State& state, const std::string& user,
                                            const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto cluster,
                           provision::ClusterAccess::Find(state.scope, state.options, stop));
  if (!cluster) return std::vector<std::string>{};
  std::vector<std::string> namespaces;
  if (user.empty()) {
    KINETIC_ASSIGN_OR_RETURN(namespaces, provision::ListNamespaces(*cluster, stop));
  } else {
    namespaces.push_back(provision::UserNamespace(state.scope, user));
  }
  return provision::ListRunningJobs(*cluster, namespaces, stop);
}

/// Keeps what a cluster of the same name in another zone uses, too.
Status KeepShared(State& state, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto named, provision::FindNamedClusters(*state.api, state.spec, stop));
  std::erase(named.locations, state.scope.zone);
  if (named.locations.empty() && named.is_complete) return {};
  std::erase_if(state.resources,
                [](const auto& resource) { return resource->Kind() != "cluster"; });
  if (named.locations.empty()) {
    state.warnings.push_back("GKE did not list all zones, so what another cluster " +
                             state.spec.name +
                             " may use is kept; to delete it, run the same command again later");
    return {};
  }
  const std::string& other = named.locations.front();
  state.warnings.push_back("there is a cluster " + state.spec.name + " in " + other +
                           ", so what it uses is kept; to delete that cluster and the rest: " +
                           provision::DownCommand(state.spec, other));
  return {};
}

/// Warns if there is a cluster that is not removed.
Status FindKeptCluster(State& state, std::stop_token stop) {
  if (RemovesCluster(state)) return {};
  const auto cluster = state.api->Find(std::string(google::kContainer),
                                       "/v1/" + state.scope.ClusterPath(), std::move(stop));
  // Without the API, there are no clusters.
  if (!cluster && google::IsApiDisabled(cluster.error())) return {};
  if (!cluster) return Failure(cluster.error());
  if (*cluster) {
    state.warnings.push_back("kinetic did not create cluster " + state.spec.name +
                             ", so it is kept");
  }
  return {};
}

/// A kind of Compute Engine resource that outlives a cluster if its deletion failed.
struct RemainingKind {
  std::string_view kind;
  std::string_view collection;
};
constexpr std::array<RemainingKind, 3> kRemainingKinds{
    {{"disk", "disks"}, {"address", "addresses"}, {"load balancer", "forwardingRules"}}};

/// Adds the resources of one kind that carry the label of the cluster.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/creating-managing-labels
Status AddRemaining(const State& state, const RemainingKind& kind,
                    std::vector<BilledResource>& found, const std::stop_token& stop) {
  const auto add = [&](const std::string& place, const Value& item) {
    found.push_back({std::string(kind.kind), json::TextAt(item, "name"), place});
  };
  return provision::ListEverywhere(*state.api,
                                   {state.spec.project, std::string(kind.collection),
                                    "labels.goog-k8s-cluster-name=" + state.spec.name},
                                   add, stop);
}

}  // namespace

Result<ClusterPlan> PlanDown(const ClusterSpec& spec, bool purge,
                             const ClusterAdminOptions& options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto state, provision::OpenState(spec, options, stop));
  state->removes = true;
  KINETIC_ASSIGN_OR_RETURN(state->users, provision::FindUsers(state->scope, stop));
  provision::AddResources(*state);
  KINETIC_RETURN_IF_ERROR(KeepShared(*state, stop));
  KINETIC_RETURN_IF_ERROR(provision::KeepOurs(*state, purge, stop));
  if (RemovesCluster(*state)) KINETIC_RETURN_IF_ERROR(provision::FindRunningJobs(*state, "", stop));
  KINETIC_RETURN_IF_ERROR(FindKeptCluster(*state, stop));
  return ClusterPlan(std::move(state));
}

Result<std::vector<BilledResource>> FindRemainingResources(const ClusterSpec& spec,
                                                           const ClusterAdminOptions& options,
                                                           std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto state, provision::OpenState(spec, options, stop));
  std::vector<BilledResource> found;
  for (const RemainingKind& kind : kRemainingKinds) {
    KINETIC_RETURN_IF_ERROR(AddRemaining(*state, kind, found, stop));
  }
  return found;
}

}  // namespace kinetic::inline v0

namespace kinetic::provision {

namespace {

/// Returns what is lost with a resource.
std::string LossOf(const Resource& resource, const State& state) {
  const std::string kind = resource.Kind();
  if (kind == "cluster") return "in " + state.scope.zone + ", with its node pools and jobs";
  if (kind == "bucket") return "with all jobs and outputs";
  if (kind == "repository") return "with its images";
  return {};
}

void WarnOfUnreadable(State& state, const Resource& resource, const Error& error) {
  state.warnings.push_back(resource.Kind() + " " + resource.Name() + " is kept: " + error.message +
                           (error.hint.empty() ? "" : "; " + error.hint));
}

}  // namespace

Status KeepOurs(State& state, bool purge, const std::stop_token& stop) {
  std::vector<std::unique_ptr<Resource>> ours;
  Status unreadable;
  for (std::unique_ptr<Resource>& resource : state.resources) {
    const auto removed = IsRemoved(*resource, purge, stop);
    if (removed && *removed) {
      ours.push_back(std::move(resource));
    } else if (!removed) {
      if (removed.error().code != ErrorCode::kPermissionDenied) return Failure(removed.error());
      WarnOfUnreadable(state, *resource, removed.error());
      if (unreadable) unreadable = Failure(removed.error());
    }
  }
  state.resources = std::move(ours);
  // Without access to the rest, the cluster can still be deleted, which costs most.
  if (!unreadable && !RemovesCluster(state)) return unreadable;
  for (const std::unique_ptr<Resource>& resource : state.resources) {
    state.steps.push_back({.action = PlanAction::kDelete,
                           .kind = resource->Kind(),
                           .name = resource->Name(),
                           .detail = LossOf(*resource, state),
                           .expected = resource->ExpectedTime() / 2,
                           .requests = ToPlanned(*state.api, resource->RemovalRequests())});
    for (std::string& warning : resource->RemovalWarnings())
      state.warnings.push_back(std::move(warning));
  }
  return {};
}

Status FindRunningJobs(State& state, const std::string& user, const std::stop_token& stop) {
  auto jobs = ListJobsOf(state, user, stop);
  if (jobs) {
    state.running_jobs = *std::move(jobs);
    return {};
  }
  if (jobs.error().code == ErrorCode::kCancelled) return Failure(jobs.error());
  state.running_jobs_status = Failure(jobs.error());
  return {};
}

}  // namespace kinetic::provision
