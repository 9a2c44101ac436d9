#pragma once

#include "kinetic/accelerator.h"
#include "kinetic/cloud.h"
#include "kinetic/export.h"
#include "kinetic/image.h"
#include "kinetic/log.h"
#include "kinetic/prices.h"
#include "kinetic/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

/// Identical nodes, which GKE creates for waiting jobs and deletes when they are idle.
struct NodePoolSpec {
  std::string name;  ///< empty: the accelerator's name, with "-spot" or "-flex" for such nodes
  Accelerator accelerator;
  bool spot = false;
  bool flex_start = false;      ///< GKE waits for capacity; nodes exist for at most seven days
  std::string reservation;      ///< name of a reservation to use; empty: none
  std::uint32_t max_nodes = 0;  ///< 0: as many as one job needs, or as the pool has
  /// Time after which an idle node is deleted; nullopt: two minutes, or as the pool has.
  std::optional<std::chrono::seconds> idle_time = {};
  std::uint64_t disk_bytes = 0;  ///< boot disk of a new pool's nodes; 0: GKE's default, 100 GiB
};

/// A GKE Standard cluster and what belongs to it: a bucket, an image repository, service accounts.
struct ClusterSpec {
  std::string project;
  std::string location;  ///< a zone; empty: chosen from `locations`
  /// Zones from which PlanUp chooses the first one with the machine types and quota for all pools.
  /// Empty: a zone that has the accelerators of all pools.
  std::vector<std::string> locations;
  std::string name = "kinetic";
  std::string network;  ///< an existing network; empty: "default"
  /// Nodes of a new cluster have no external addresses, and a router with NAT reaches the Internet.
  bool private_nodes = false;
  std::string name_space;  ///< of jobs; empty: "kinetic"
  std::vector<NodePoolSpec> pools;
  /// Time after Apply at which a CronJob deletes the cluster with the jobs on it. 0: never; nullopt:
  /// unchanged.
  std::optional<std::chrono::seconds> ttl;
  /// Time without jobs after which a CronJob deletes the cluster. 0: never; nullopt: unchanged.
  std::optional<std::chrono::seconds> down_when_idle;
  /// Email addresses of people who each get a namespace and a store that only they can access.
  std::vector<std::string> users;
};

/// Parses kinetic.yaml.
///
/// @param   file  begins every message.
/// @errors  kInvalidArgument, with line and column.
KINETIC_EXPORT Result<ClusterSpec> ParseClusterFile(std::string_view text, std::string_view file);

/// What a command needs to change a cluster.
struct ClusterAdminOptions {
  CloudOptions cloud;
  RegistryOptions registry;
  RunnerImageRequest runner_image;  ///< its name is not used
  Prices prices = {};               ///< for estimates of costs
  LogSink* log = nullptr;           ///< receives every request; may be null
};

}  // namespace kinetic::inline v0
