#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/health.h"

#include "provision/cluster_access.h"
#include "provision/scope.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::provision {

/// What the API server of a cluster reports.
struct KubernetesState {
  HealthCheck endpoint{.name = "endpoint"};
  HealthCheck account{.name = "service account"};
  HealthCheck permissions{.name = "permissions"};  ///< of the caller
  bool is_account_missing = false;                 ///< or its namespace
  /// The Google service account that the Kubernetes one is annotated with; empty: none.
  std::string google_account;
  std::vector<HealthCheck> more;   ///< of what exists and can be read
  std::optional<NodeTimes> nodes;  ///< nullopt: they cannot be listed
};

/// Reads the version of the API server, the service account of jobs, and what the caller may do. A
/// server that does not respond is retried for a few seconds.
KubernetesState ReadKubernetes(const Scope& scope, const ClusterAdminOptions& options,
                               std::stop_token stop);

}  // namespace kinetic::provision
