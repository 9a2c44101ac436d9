#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/export.h"
#include "kinetic/prices.h"
#include "kinetic/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::inline v0 {

/// A node pool as it is now.
struct NodePoolStatus {
  std::string name;
  std::string machine_type;
  bool spot = false;
  std::string status;                  ///< GKE's: "RUNNING"
  std::optional<std::uint32_t> nodes;  ///< that exist; nullopt: unknown
  std::uint32_t max_nodes = 0;
  std::optional<Price> price;                     ///< of one node; nullopt: unknown
  std::optional<std::chrono::seconds> idle_time;  ///< as NodePoolSpec; nullopt: GKE's default
};

/// A cluster as it is now.
struct ClusterStatus {
  std::string name;
  std::string location;
  std::string status;   ///< GKE's: "RUNNING"
  std::string version;  ///< of Kubernetes: "1.34.1-gke.100"
  std::vector<NodePoolStatus> pools;
  std::vector<std::string> users;  ///< email addresses
  /// Why running_jobs, nodes, the price and the automatic deletion are unknown: the cluster did not
  /// respond.
  Status access_status;
  std::optional<std::size_t> running_jobs;
  std::optional<double> price_per_hour;  ///< of all existing nodes; nullopt: a price is unknown
  /// Estimate for the cluster and its existing nodes since they were created. Deleted nodes are not
  /// included.
  std::optional<double> cost_this_month;
  std::string price_date;  ///< of the oldest price; may be empty
  /// When a CronJob deletes the cluster; nullopt: never.
  std::optional<std::chrono::system_clock::time_point> expires;
  std::optional<std::chrono::seconds> down_when_idle;  ///< as ClusterSpec; nullopt: never
  Status shutdown_status;  ///< why the CronJob may not be able to delete the cluster
};

/// Returns what exists of a cluster, including one that kinetic did not create.
///
/// @errors  kNotFound: no such cluster · those of PlanDown.
KINETIC_EXPORT Result<ClusterStatus> GetClusterStatus(const ClusterSpec& spec,
                                                      const ClusterAdminOptions& options,
                                                      std::stop_token stop = {});

/// Something that exists and costs money.
struct BilledResource {
  std::string kind;  ///< "disk"
  std::string name;
  std::string location;
};

/// Returns the resources of a cluster that still cost money after it was deleted: VMs, disks, addresses,
/// load balancers, and routers with NAT.
///
/// @errors  those of PlanUp.
KINETIC_EXPORT Result<std::vector<BilledResource>> FindRemainingResources(
    const ClusterSpec& spec, const ClusterAdminOptions& options, std::stop_token stop = {});

}  // namespace kinetic::inline v0
