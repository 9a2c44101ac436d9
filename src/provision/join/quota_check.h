#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/health.h"

#include "provision/join/existing_cluster.h"
#include "provision/scope.h"

#include <optional>
#include <stop_token>

namespace kinetic::provision {

/// Returns the spec of a node pool with accelerators that kinetic knows, or nullopt.
std::optional<NodePoolSpec> SpecOf(const ExistingPool& pool);

/// Compares the quotas that the node pools use at their maximum size with what is available.
/// Returns nullopt if they use none. Nodes that exist count as needed, and their quota as used.
std::optional<HealthCheck> CheckQuotas(const Scope& scope, const ExistingCluster& cluster,
                                       const std::stop_token& stop);

}  // namespace kinetic::provision
