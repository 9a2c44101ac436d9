#pragma once

#include "kinetic/cluster_spec.h"

#include "provision/join/existing_cluster.h"

#include <optional>
#include <vector>

namespace kinetic::provision {

/// Returns the spec of a node pool with accelerators that kinetic knows, or nullopt.
std::optional<NodePoolSpec> SpecOf(const ExistingPool& pool);

/// Adds the pools of an existing cluster that are not among `pools`: they use the same quotas. Pools
/// without accelerators are left out.
void AddOtherPools(const std::vector<ExistingPool>& existing, std::vector<NodePoolSpec>& pools);

}  // namespace kinetic::provision
