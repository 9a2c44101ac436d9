#include "provision/pool_sizes.h"

#include "kinetic/try.h"

#include "google/api/services.h"
#include "json/document.h"
#include "provision/pool_status.h"
#include "provision/resources/all.h"
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

/// A plan repairs only the pools that it names.
void WarnOfFailure(const NodePoolStatus& pool, std::vector<std::string>& warnings) {
  if (pool.status == "ERROR" && pool.name != kSystemPool)
    warnings.push_back("node pool " + pool.name + " has failed; to delete it: kinetic pool rm " +
                       pool.name);
}

}  // namespace

Status CompareSizes(ClusterPlan::State& state, std::stop_token stop) {
  const auto cluster = state.api->Find(std::string(google::kContainer),
                                       "/v1/" + state.scope.ClusterPath(), std::move(stop));
  // Without the API, there are no clusters.
  if (!cluster && google::IsApiDisabled(cluster.error())) return {};
  if (!cluster) return Failure(cluster.error());
  if (!*cluster) return {};
  std::optional<double> before = state.price.idle;
  bool has_pools = false;
  json::ObjectReader reader(**cluster, "cluster");
  for (const Value& existing : reader.List("nodePools")) {
    state.existing_pools.push_back(ParsePool(state.scope, existing));
    const NodePoolStatus status =
        PoolStatusOf(existing, state.scope.Region(), state.options.prices);
    const auto pool = std::ranges::find(state.spec.pools, status.name, PoolName);
    if (pool == state.spec.pools.end()) {
      WarnOfFailure(status, state.warnings);
      continue;
    }
    has_pools = true;
    AddNodes(status, before);
    // This pool is replaced, so its size does not matter.
    if (!PoolDifference(existing, *pool).empty()) continue;
    KeepSize(status, *pool, state.warnings);
  }
  if (has_pools) state.price.busy_before = before;
  return {};
}

}  // namespace kinetic::provision
