#include "kinetic/existing_cluster.h"
#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "provision/join/bucket_permissions.h"
#include "provision/join/cluster_checks.h"
#include "provision/join/existing_cluster.h"
#include "provision/join/kubernetes_checks.h"
#include "provision/join/parts.h"
#include "provision/join/quota_check.h"
#include "provision/plan.h"
#include "provision/profile.h"
#include "provision/resources/all.h"

#include <memory>
#include <optional>
#include <utility>

namespace kinetic::inline v0 {
namespace {

using provision::Part;
using provision::Scope;
using State = ClusterPlan::State;

constexpr std::size_t kPartsAtOnce = 8;

/// Sets what a profile has in addition to a ClusterSpec.
void SetScope(const Profile& profile, Scope& scope) {
  const ClusterProfile& cluster = profile.kubernetes;
  const auto or_default = [](const std::string& name) { return name.empty() ? "default" : name; };
  scope.store = profile.store;
  scope.name_space = or_default(cluster.name_space);
  scope.service_account = or_default(cluster.service_account);
  scope.endpoint = cluster.dns_endpoint       ? provision::Endpoint::kDns
                   : cluster.private_endpoint ? provision::Endpoint::kPrivate
                                              : provision::Endpoint::kPublic;
}

Result<std::shared_ptr<State>> OpenProfile(const Profile& profile,
                                           const ClusterAdminOptions& options,
                                           std::stop_token stop) {
  const ClusterProfile& cluster = profile.kubernetes;
  ClusterSpec spec;
  spec.project = cluster.project;
  spec.location = cluster.location;
  spec.name = cluster.cluster;
  KINETIC_ASSIGN_OR_RETURN(auto state, provision::OpenProject(spec, options, std::move(stop)));
  SetScope(profile, state->scope);
  KINETIC_RETURN_IF_ERROR(CheckBucketStore(state->scope.Store()));
  return state;
}

provision::Images ImagesOf(const Scope& scope, const std::string& image) {
  if (image.empty()) return provision::Images::kNone;
  const std::string own = "/" + scope.project + "/" + scope.name + "/runner:";
  return image.find(own) != std::string::npos ? provision::Images::kOwn
                                              : provision::Images::kForeign;
}

/// Compares parts with what exists. Results are in the order of the parts.
Result<std::vector<Result<PlanStep>>> ReadParts(const State& state, const std::vector<Part>& parts,
                                                std::stop_token stop) {
  std::vector<Result<PlanStep>> steps(parts.size());
  KINETIC_RETURN_IF_ERROR(ParallelFor(
      kPartsAtOnce, parts.size(), stop, [&](std::size_t index, std::stop_token each) -> Status {
        steps[index] = provision::ReadStep(*state.api, *parts[index].resource, std::move(each));
        return {};
      }));
  return steps;
}

void AddMissing(State& state, std::unique_ptr<provision::Resource> resource, PlanStep step) {
  if (step.action == PlanAction::kKeep) return;
  state.resources.push_back(std::move(resource));
  state.steps.push_back(std::move(step));
}

/// Adds the checks of the parts, and to the plan those that are missing.
Status AddParts(State& state, std::vector<Part> parts, std::vector<HealthCheck>& checks,
                std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto steps, ReadParts(state, parts, std::move(stop)));
  for (std::size_t index = 0; index < parts.size(); ++index) {
    checks.push_back(provision::ToCheck(parts[index], steps[index]));
    if (steps[index]) AddMissing(state, std::move(parts[index].resource), *steps[index]);
  }
  return {};
}

/// Returns the given profile, completed by what was found.
///
/// @param is_pushed  the repository of the cluster has the runner image.
Profile Completed(const Profile& given, const State& state, bool is_pushed, bool is_autopilot) {
  const Profile found = provision::ProfileOf(state.scope, state.runner_image);
  Profile profile = given;
  profile.kind = TargetKind::kGke;
  profile.store = found.store;
  profile.kubernetes.location = found.kubernetes.location;
  profile.kubernetes.dns_endpoint = found.kubernetes.dns_endpoint;
  profile.kubernetes.private_endpoint = found.kubernetes.private_endpoint;
  profile.kubernetes.name_space = found.kubernetes.name_space;
  profile.kubernetes.service_account = found.kubernetes.service_account;
  // A second pod would get its own node.
  if (is_autopilot) profile.kubernetes.node_ahead = false;
  if (!is_pushed) return profile;
  profile.kubernetes.runner_image = found.kubernetes.runner_image;
  profile.kubernetes.environment_images = found.kubernetes.environment_images;
  return profile;
}

}  // namespace

Profile DefaultClusterProfile(const std::string& project, const std::string& name) {
  Scope scope;
  scope.project = project;
  scope.name = name;
  return provision::ProfileOf(scope, "");
}

Result<ClusterInspection> InspectCluster(const Profile& profile, const ClusterAdminOptions& options,
                                         std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto state, OpenProfile(profile, options, stop));
  Scope& scope = state->scope;
  KINETIC_ASSIGN_OR_RETURN(const Value found, provision::FindCluster(scope, stop));
  const provision::ExistingCluster cluster = provision::ParseCluster(scope, found);
  state->spec.location = scope.zone = cluster.location;
  scope.endpoint = provision::ChooseEndpoint(scope, found).value_or(scope.endpoint);

  std::vector<HealthCheck> checks{provision::CheckStatus(cluster)};
  const auto kubernetes = provision::ReadKubernetes(scope, state->options, stop);
  checks.push_back(kubernetes.endpoint);
  checks.push_back(provision::CheckPodIdentities(scope, cluster));
  checks.push_back(provision::CheckNodePools(scope, cluster));
  if (auto drivers = provision::CheckDrivers(scope, cluster)) checks.push_back(*std::move(drivers));
  if (auto quotas = provision::CheckQuotas(scope, cluster, kubernetes.nodes, stop))
    checks.push_back(*std::move(quotas));
  checks.insert(checks.end(), kubernetes.more.begin(), kubernetes.more.end());
  checks.push_back(kubernetes.permissions);
  if (auto permissions = provision::CheckBucketPermissions(scope, stop))
    checks.push_back(*std::move(permissions));
  checks.push_back(kubernetes.account);
  if (kubernetes.is_account_missing) {
    auto name_space = provision::MakeNamespace(scope, state->options);
    KINETIC_ASSIGN_OR_RETURN(PlanStep step, provision::ReadStep(*state->api, *name_space, stop));
    AddMissing(*state, std::move(name_space), std::move(step));
  }
  const std::string& image = profile.kubernetes.runner_image;
  const provision::Images images = ImagesOf(scope, image);
  KINETIC_RETURN_IF_ERROR(AddParts(
      *state,
      provision::PartsOf(scope, state->options, cluster, kubernetes, images, state->runner_image),
      checks, stop));
  const bool is_pushed =
      images != provision::Images::kForeign && checks.back().health == Health::kGood;
  if (images == provision::Images::kForeign)
    checks.push_back({.name = "runner image", .evidence = image});
  Profile completed = Completed(profile, *state, is_pushed, cluster.autopilot);
  return ClusterInspection{std::move(completed), std::move(checks), ClusterPlan(std::move(state))};
}

}  // namespace kinetic::inline v0
