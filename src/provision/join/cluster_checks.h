#pragma once

#include "kinetic/health.h"

#include "provision/join/existing_cluster.h"
#include "provision/scope.h"

#include <optional>

namespace kinetic::provision {

/// Check what the configuration of a cluster means for jobs. The advice is a command.
HealthCheck CheckStatus(const ExistingCluster& cluster);
HealthCheck CheckPodIdentities(const Scope& scope, const ExistingCluster& cluster);
HealthCheck CheckNodePools(const Scope& scope, const ExistingCluster& cluster);
/// Returns nullopt if no pool has GPUs.
std::optional<HealthCheck> CheckDrivers(const Scope& scope, const ExistingCluster& cluster);

}  // namespace kinetic::provision
