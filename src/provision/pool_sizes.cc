#include "provision/pool_sizes.h"

#include "kinetic/try.h"

#include "google/api/services.h"
#include "json/document.h"
#include "provision/pool_status.h"
#include "provision/resources/all.h"
#include "provision/resources/gke.h"
#include "provision/resources/pool_difference.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

/// Adds the price of a pool's nodes to a price that is unknown if one of them is.
void AddNodes(const NodePoolStatus& pool, std::optional<double>& price) {
  price = price && pool.price
              ? std::optional(*price + pool.max_nodes * pool.price->dollars_per_hour)
              : std::nullopt;
}

void KeepSize(const NodePoolStatus& existing, NodePoolSpec& pool,
              std::vector<std::string>& warnings) {
  if (pool.max_nodes == 0) pool.max_nodes = existing.max_nodes;
  if (pool.max_nodes < existing.max_nodes)
    warnings.push_back("the maximum number of nodes of node pool " + existing.name +
                       " decreases from " + std::to_string(existing.max_nodes) + " to " +
                       std::to_string(pool.max_nodes));
}

/// Only other tools can run jobs on a slice of several machines, so kinetic does not change it.
std::string KeptSlice(const NodePoolSpec& pool) {
  return "node pool " + PoolName(pool) + " is not changed, because no kinetic job can use " +
         pool.accelerator.name + ", a slice of " + std::to_string(pool.accelerator.hosts) +
         " machines";
}

/// A plan repairs only the pools that it names.
void WarnOfFailure(const NodePoolStatus& pool, std::vector<std::string>& warnings) {
  if (pool.status == "ERROR" && pool.name != kSystemPool)
    warnings.push_back("node pool " + pool.name + " has failed; to delete it: kinetic pool rm " +
                       pool.name);
}

/// Returns whether new nodes of a cluster have no external addresses. Older clusters have the other field.
bool HasPrivateNodes(const Value& cluster) {
  const Value* network = cluster.Find("networkConfig");
  const Value* earlier = cluster.Find("privateClusterConfig");
  return (network != nullptr && HasFlag(*network, "defaultEnablePrivateNodes")) ||
         (earlier != nullptr && HasFlag(*earlier, "enablePrivateNodes"));
}

/// An existing cluster with public nodes stays so, and needs no router. A failed one is replaced.
void KeepPublicNodes(ClusterPlan::State& state, const Value& cluster) {
  Comparison comparison;
  SetReadiness(cluster, comparison);
  const bool is_replaced =
      comparison.readiness == Readiness::kFailed || comparison.readiness == Readiness::kDeleting;
  if (!state.spec.private_nodes || is_replaced || HasPrivateNodes(cluster)) return;
  state.spec.private_nodes = false;
  state.warnings.push_back("the nodes of cluster " + state.spec.name +
                           " keep their external addresses; for private nodes, create another "
                           "cluster");
}

}  // namespace

Status CompareSizes(ClusterPlan::State& state, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(
      const auto cluster,
      state.api->FindCreated(std::string(google::kContainer), "/v1/" + state.scope.ClusterPath(),
                             std::move(stop)));
  if (!cluster) return CheckNewPools(state.spec.pools);
  KeepPublicNodes(state, *cluster);
  state.scope.version = json::TextAt(*cluster, "currentMasterVersion");
  std::optional<double> before = state.price.idle;
  bool has_pools = false;
  json::ObjectReader reader(*cluster, "cluster");
  for (const Value& existing : reader.List("nodePools")) {
    state.existing_pools.push_back(ParsePool(state.scope, existing));
    const NodePoolStatus status = PoolStatusOf(state.scope, existing, state.options.prices);
    const auto pool = std::ranges::find(state.spec.pools, status.name, PoolName);
    if (pool == state.spec.pools.end()) {
      WarnOfFailure(status, state.warnings);
      continue;
    }
    if (pool->accelerator.hosts > 1) {
      state.warnings.push_back(KeptSlice(*pool));
      state.spec.pools.erase(pool);
      continue;
    }
    has_pools = true;
    AddNodes(status, before);
    // This pool is replaced, so its size does not matter.
    if (!PoolDifference(existing, *pool).empty()) continue;
    KeepSize(status, *pool, state.warnings);
  }
  if (has_pools) state.price.busy_before = before;
  return CheckNewPools(state.spec.pools);
}

}  // namespace kinetic::provision
