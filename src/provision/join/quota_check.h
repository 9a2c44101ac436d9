#pragma once

#include "kinetic/health.h"

#include "provision/cluster_access.h"
#include "provision/join/existing_cluster.h"
#include "provision/scope.h"

#include <optional>
#include <stop_token>

namespace kinetic::provision {

/// Compares the quotas that the pools need with what is available. Returns nullopt if no pool has
/// accelerators.
///
/// @param nodes  as for FindQuotas.
std::optional<HealthCheck> CheckQuotas(const Scope& scope, const ExistingCluster& cluster,
                                       const std::optional<NodeTimes>& nodes,
                                       const std::stop_token& stop);

}  // namespace kinetic::provision
