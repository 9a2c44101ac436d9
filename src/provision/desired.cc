#include "provision/plan.h"
#include "provision/resources/access.h"
#include "provision/resources/all.h"
#include "provision/resources/grants.h"
#include "provision/resources/user.h"
#include "provision/shutdown/grant.h"
#include "provision/shutdown/resource.h"

#include <string>

namespace kinetic::provision {
void AddResources(ClusterPlan::State& state) {
  const Scope& scope = state.scope;
  auto& resources = state.resources;
  if (!state.removes) resources.push_back(MakeServices(scope));
  resources.push_back(MakeBucket(scope, state.options));
  resources.push_back(MakeRepository(scope));
  resources.push_back(MakeNodeAccount(scope));
  resources.push_back(MakeAccess(*state.api, NodesRun(scope)));
  resources.push_back(MakeAccess(*state.api, NodesPull(scope, scope.NodeAccount())));
  if (!state.removes)
    resources.push_back(MakeRunnerImage(scope, state.options, state.runner_image));
  if (state.removes || state.spec.private_nodes)
    resources.push_back(MakeRouter(scope, state.spec.network));
  resources.push_back(MakeCluster(scope, state.spec.network, state.spec.private_nodes));
  resources.push_back(MakeAccess(*state.api, PodsStoreWithEarlier(scope)));
  if (state.removes) resources.push_back(MakeAccess(*state.api, ShutdownRemoval(scope)));
  for (const std::string& email : state.users)
    resources.push_back(MakeUser(scope, state.options, email, NamespaceRemoval::kWithCluster));
  if (state.removes) return;
  if (state.spec.ttl || state.spec.down_when_idle || state.shutdown)
    resources.push_back(MakeShutdown(state));
  resources.push_back(MakeNamespace(scope, state.options));
  for (const NodePoolSpec& pool : state.spec.pools) resources.push_back(MakeNodePool(scope, pool));
}

}  // namespace kinetic::provision
