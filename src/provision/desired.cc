#include "provision/plan.h"
#include "provision/policy.h"
#include "provision/resources/access.h"
#include "provision/resources/all.h"
#include "provision/shutdown/objects.h"
#include "provision/shutdown/resource.h"

#include <chrono>
#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

/// Nodes write logs and metrics.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster
AccessSpec NodesRun(const Scope& scope) {
  return {.name = "nodes: run",
          .target = ProjectPolicy(scope.project),
          .grants = {{"roles/container.defaultNodeServiceAccount",
                      "serviceAccount:" + scope.NodeAccount()}},
          .needs = {"service account"}};
}

AccessSpec NodesPull(const Scope& scope) {
  return {.name = "nodes: pull images",
          .target = RepositoryPolicy(scope.RepositoryPath()),
          .grants = {{"roles/artifactregistry.reader", "serviceAccount:" + scope.NodeAccount()}},
          .needs = {"repository", "service account"}};
}

/// The pool of identities of the project exists once it has a cluster with Workload Identity. The
/// second role has storage.buckets.get, which parallel uploads need.
AccessSpec PodsStore(const Scope& scope) {
  return {.name = "pods: read and write the bucket",
          .target = BucketPolicy(scope.Bucket()),
          .grants = {{"roles/storage.objectUser", scope.PodPrincipal()},
                     {"roles/storage.legacyBucketReader", scope.PodPrincipal()}},
          .needs = {"bucket", "cluster"}};
}

std::string StartsWith(const std::string& name) {
  return "resource.name.startsWith(\"" + name + "\")";
}

/// Limited to this cluster, and to operations of its zone, whose progress the pod reads.
///
/// @source  https://cloud.google.com/iam/docs/conditions-resource-attributes
AccessSpec ShutdownDeletes(const Scope& scope) {
  return {.name = "shutdown: delete the cluster",
          .target = ProjectPolicy(scope.project),
          .grants = {{.role = "roles/container.clusterAdmin",
                      .member = scope.Principal(kShutdownNamespace, kShutdownObjects),
                      .only_if = StartsWith(scope.ClusterPath()) + " || " +
                                 StartsWith(scope.ZonePath() + "/operations/"),
                      .description = "cluster " + scope.name}},
          .needs = {"cluster"}};
}

bool ShutsDown(const ClusterSpec& spec) {
  constexpr std::chrono::seconds kNever{0};
  return spec.ttl.value_or(kNever) > kNever || spec.down_when_idle.value_or(kNever) > kNever;
}

}  // namespace

void AddResources(ClusterPlan::State& state) {
  const Scope& scope = state.scope;
  auto& resources = state.resources;
  if (!state.removes) resources.push_back(MakeServices(scope));
  resources.push_back(MakeBucket(scope, state.options));
  resources.push_back(MakeRepository(scope));
  resources.push_back(MakeNodeAccount(scope));
  resources.push_back(MakeAccess(*state.api, NodesRun(scope)));
  resources.push_back(MakeAccess(*state.api, NodesPull(scope)));
  if (!state.removes)
    resources.push_back(MakeRunnerImage(scope, state.options, state.runner_image));
  resources.push_back(MakeCluster(scope, state.spec.network));
  resources.push_back(MakeAccess(*state.api, PodsStore(scope)));
  if (state.removes || ShutsDown(state.spec))
    resources.push_back(MakeAccess(*state.api, ShutdownDeletes(scope)));
  if (state.removes) return;
  if (state.spec.ttl || state.spec.down_when_idle) resources.push_back(MakeShutdown(state));
  resources.push_back(MakeNamespace(scope, state.options));
  for (const NodePoolSpec& pool : state.spec.pools) resources.push_back(MakeNodePool(scope, pool));
}

}  // namespace kinetic::provision
