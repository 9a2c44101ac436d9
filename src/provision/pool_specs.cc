#include "provision/pool_specs.h"

#include "provision/resources/all.h"
#include "provision/resources/pool_difference.h"

#include <algorithm>
#include <utility>

namespace kinetic::provision {
namespace {

bool IsOfPool(const Accelerator& accelerator, const ExistingPool& pool) {
  if (accelerator.kind == AcceleratorKind::kGpu)
    return accelerator.node_label == pool.gpu && accelerator.chips == pool.gpus;
  if (accelerator.kind != AcceleratorKind::kTpu || accelerator.machine_type != pool.machine_type)
    return false;
  // Single hosts have no topology.
  return pool.topology.empty() ? accelerator.hosts == 1 : accelerator.topology == pool.topology;
}

}  // namespace

std::optional<NodePoolSpec> SpecOf(const ExistingPool& pool) {
  for (const Accelerator& accelerator : Accelerators()) {
    if (!IsOfPool(accelerator, pool)) continue;
    NodePoolSpec spec;
    spec.name = pool.name;
    spec.accelerator = accelerator;
    spec.spot = pool.spot;
    spec.flex_start = pool.flex_start;
    spec.reservation = pool.reservation;
    spec.max_nodes = pool.max_nodes;
    return spec;
  }
  return std::nullopt;
}

void AddOtherPools(const std::vector<ExistingPool>& existing, std::vector<NodePoolSpec>& pools) {
  for (const ExistingPool& pool : existing) {
    if (std::ranges::find(pools, pool.name, PoolName) != pools.end()) continue;
    if (auto known = SpecOf(pool)) pools.push_back(*std::move(known));
  }
}

}  // namespace kinetic::provision
