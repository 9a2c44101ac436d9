#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "provision/scope.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::provision {

/// A node pool of an existing cluster.
struct ExistingPool {
  std::string name;
  std::string machine_type;
  std::string topology;    ///< of a multi-host TPU slice: "4x4"
  std::string gpu;         ///< GKE's name: "nvidia-l4"
  std::uint32_t gpus = 0;  ///< on each node
  std::uint32_t max_nodes = 0;
  bool installs_driver = true;  ///< GKE installs the GPUs' driver
  bool spot = false;
  bool flex_start = false;
  std::string reservation;         ///< that its nodes use; empty: none
  std::string account;             ///< email address of the nodes' service account
  bool has_accelerators = false;   ///< TPUs or GPUs
  bool has_pod_identities = true;  ///< pods on it get the identity of their service account
};

/// What matters for jobs about an existing cluster.
struct ExistingCluster {
  std::string name;
  std::string location;
  std::string status;         ///< GKE's: "RUNNING"
  std::string version;        ///< of Kubernetes: "1.34.1-gke.100"
  std::string workload_pool;  ///< "p.svc.id.goog"; empty: Workload Identity is off
  bool created_by_kinetic = false;
  bool autopilot = false;
  bool auto_provisioning = false;  ///< GKE creates node pools for waiting pods
  std::vector<ExistingPool> pools;
};

/// Finds the cluster of a scope.
///
/// @param   scope  its zone may be empty: every location.
/// @returns the container API's response.
/// @errors  kNotFound (the hint suggests existing clusters) · kInvalidArgument (several clusters
///          have the name) · those of ApiClient.
Result<Value> FindCluster(const Scope& scope, std::stop_token stop);

/// @param   scope  for the default service account of nodes.
/// @source  https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters
ExistingCluster ParseCluster(const Scope& scope, const Value& cluster);

/// @param pool  the NodePool of the container API.
ExistingPool ParsePool(const Scope& scope, const Value& pool);

/// Returns the first endpoint, starting with the scope's, through which the cluster can be reached
/// according to its configuration. Sends no request.
///
/// @errors  those of google::ParseGkeCluster, for the scope's endpoint.
Result<Endpoint> ChooseEndpoint(const Scope& scope, const Value& cluster);

}  // namespace kinetic::provision
