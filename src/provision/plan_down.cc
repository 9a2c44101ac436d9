#include "kinetic/cluster.h"
#include "kinetic/cluster_status.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "google/api/services.h"
#include "google/error.h"
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

/// Returns whether one of the locations is in a region.
bool HasRegion(const std::vector<std::string>& locations, const std::string& region) {
  return std::ranges::find(locations, region, provision::RegionOf) != locations.end();
}

/// Keeps what a cluster of the same name in another zone uses, too. A router serves one region.
///
/// @param locations  of all clusters of that name.
void KeepShared(State& state, std::vector<std::string> locations) {
  std::erase(locations, state.scope.zone);
  if (locations.empty()) return;
  state.keeps_cluster = true;
  const bool shares_router = HasRegion(locations, state.scope.Region());
  std::erase_if(state.resources, [&](const auto& resource) {
    return resource->Kind() != "cluster" &&
           (resource->Kind() != provision::kRouterKind || shares_router);
  });
  const std::string& other = locations.front();
  state.warnings.push_back("there is a cluster " + state.spec.name + " in " + other +
                           ", so what it uses is kept; to delete that cluster and the rest: " +
                           provision::DownCommand(state.spec, other));
}

/// Warns if there is a cluster that is not removed.
///
/// @param is_listed  GKE lists the cluster.
Status FindKeptCluster(State& state, bool is_listed, std::stop_token stop) {
  if (RemovesCluster(state)) return {};
  KINETIC_ASSIGN_OR_RETURN(
      const auto cluster,
      state.api->FindCreated(std::string(google::kContainer), "/v1/" + state.scope.ClusterPath(),
                             std::move(stop)));
  if (cluster) {
    state.keeps_cluster = true;
    state.warnings.push_back("kinetic did not create cluster " + state.spec.name +
                             ", so it is kept");
  } else if (is_listed) {
    return Fail(
        ErrorCode::kUnavailable,
        "GKE lists cluster " + state.spec.name + " in " + state.scope.zone + ", but cannot find it",
        "try again later");
  }
  return {};
}

}  // namespace

Result<ClusterPlan> PlanDown(const ClusterSpec& spec, bool purge,
                             const ClusterAdminOptions& options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto state, provision::OpenState(spec, options, stop));
  KINETIC_RETURN_IF_ERROR(provision::PlanRemoval(*state, purge, stop));
  if (RemovesCluster(*state)) KINETIC_RETURN_IF_ERROR(provision::FindRunningJobs(*state, "", stop));
  return ClusterPlan(std::move(state));
}

Result<std::vector<BilledResource>> FindRemainingResources(const ClusterSpec& spec,
                                                           const ClusterAdminOptions& options,
                                                           std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto state, provision::OpenProject(spec, options, stop));
  return provision::FindRemaining(*state, stop);
}

}  // namespace kinetic::inline v0

namespace kinetic::provision {

namespace {

/// A kind of Compute Engine resource that outlives a cluster if its deletion failed.
struct RemainingKind {
  std::string_view kind;
  std::string_view collection;
};
constexpr std::array<RemainingKind, 4> kRemainingKinds{{{"VM", "instances"},
                                                        {"disk", "disks"},
                                                        {"address", "addresses"},
                                                        {"load balancer", "forwardingRules"}}};

/// Adds the resources of one kind that carry the label of the cluster.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/creating-managing-labels
Status AddRemaining(const State& state, const RemainingKind& kind,
                    std::vector<BilledResource>& found, const std::stop_token& stop) {
  const auto add = [&](const std::string& place, const Value& item) {
    found.push_back({std::string(kind.kind), json::TextAt(item, "name"), place});
  };
  return ListEverywhere(*state.api,
                        {state.spec.project, std::string(kind.collection),
                         "labels.goog-k8s-cluster-name=" + state.spec.name},
                        add, stop);
}

/// Clusters without private nodes have no router, and their owners may lack permissions for routers.
bool IsRouterDenied(const Error& error) {
  return error.code == ErrorCode::kPermissionDenied &&
         google::DetailOf(error, google::kDisabledService).empty();
}

/// Adds the routers that kinetic created for the cluster, in any region. Without permission for routers,
/// PlanRemoval has warned.
///
/// @param clusters  locations of the clusters of this name, which use the routers of their regions.
Status AddRouters(const State& state, const std::vector<std::string>& clusters,
                  std::vector<BilledResource>& found, const std::stop_token& stop) {
  const auto add = [&](const std::string& region, const Value& item) {
    if (json::TextAt(item, "description") == RouterDescription(state.spec.name) &&
        !HasRegion(clusters, region))
      found.push_back({std::string(kRouterKind), json::TextAt(item, "name"), region});
  };
  Status added = ListEverywhere(
      *state.api, {state.spec.project, "routers", "name=" + RouterName(state.spec.name)}, add,
      stop);
  if (added || IsRouterDenied(added.error())) return {};
  return state.api->CheckNothingExists(std::move(added).error(), stop);
}

/// Returns what is lost with a resource.
std::string LossOf(const Resource& resource, const State& state) {
  const std::string kind = resource.Kind();
  if (kind == "cluster") return "in " + state.scope.zone + ", with its node pools and jobs";
  if (kind == "bucket") return "with all jobs and outputs";
  if (kind == "repository") return "with its images";
  return {};
}

std::string SkippedRouter(const State& state, const Resource& router, const Error& error) {
  return "router " + router.Name() +
         " is not deleted if it exists, because it cannot be read: " + error.message +
         "; to delete it: gcloud compute routers delete " + router.Name() +
         " --region=" + state.scope.Region() + " --project=" + state.scope.project;
}

}  // namespace

Status PlanRemoval(State& state, bool purge, const std::stop_token& stop) {
  state.removes = true;
  KINETIC_ASSIGN_OR_RETURN(state.users, FindUsers(state.scope, stop));
  AddResources(state);
  KINETIC_ASSIGN_OR_RETURN(const auto locations, FindNamedClusters(*state.api, state.spec, stop));
  if (!state.zones.empty() && locations.size() > 1)
    return Fail(ErrorCode::kInvalidArgument,
                "there are clusters " + state.spec.name + " in " + Join(locations, " and "),
                "specify one with --location");
  KeepShared(state, locations);
  KINETIC_RETURN_IF_ERROR(KeepOurs(state, purge, stop));
  const bool is_listed = std::ranges::find(locations, state.scope.zone) != locations.end();
  return FindKeptCluster(state, is_listed, stop);
}

Result<std::vector<BilledResource>> FindRemaining(const State& state, const std::stop_token& stop) {
  std::vector<BilledResource> found;
  for (const RemainingKind& kind : kRemainingKinds) {
    const Status added = AddRemaining(state, kind, found, stop);
    if (!added) KINETIC_RETURN_IF_ERROR(state.api->CheckNothingExists(added.error(), stop));
  }
  KINETIC_ASSIGN_OR_RETURN(const auto clusters, FindNamedClusters(*state.api, state.spec, stop));
  // Those of another cluster of this name have the same label.
  if (!clusters.empty())
    std::erase_if(found, [&](const auto& one) { return one.location != state.scope.zone; });
  KINETIC_RETURN_IF_ERROR(AddRouters(state, clusters, found, stop));
  return found;
}

Status KeepOurs(State& state, bool purge, const std::stop_token& stop) {
  std::vector<std::unique_ptr<Resource>> ours;
  for (std::unique_ptr<Resource>& resource : state.resources) {
    auto removed = IsRemoved(*resource, purge, stop);
    if (!removed && resource->Kind() == kRouterKind && IsRouterDenied(removed.error())) {
      state.warnings.push_back(SkippedRouter(state, *resource, removed.error()));
      continue;
    }
    if (!removed)
      return Failure(std::move(removed).error().Context("nothing is deleted, because " +
                                                        resource->Kind() + " " + resource->Name() +
                                                        " cannot be read"));
    if (*removed) ours.push_back(std::move(resource));
  }
  state.resources = std::move(ours);
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
