#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "provision/resource.h"
#include "provision/scope.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::provision {

/// The machine type of the nodes for the system's pods.
inline constexpr std::string_view kSystemMachine = "e2-standard-2";
inline constexpr std::int64_t kSystemDiskGb = 32;
/// The pool of these nodes, which the cluster is created with.
inline constexpr std::string_view kSystemPool = "default";

/// The kind of the APIs of a project.
inline constexpr std::string_view kApisKind = "APIs";

/// The APIs that the other resources use. They stay enabled when the cluster is removed.
std::unique_ptr<Resource> MakeServices(const Scope& scope);
/// Same, for other APIs: "storage.googleapis.com".
std::unique_ptr<Resource> MakeServices(const Scope& scope, std::vector<std::string> services);

/// The bucket for bundles, logs and results: uniform access, and deleted objects are gone at once,
/// because soft delete prevents parallel uploads.
///
/// @param options  outlives the resource.
std::unique_ptr<Resource> MakeBucket(const Scope& scope, const ClusterAdminOptions& options);

/// The Artifact Registry repository of the runner image and of package images.
std::unique_ptr<Resource> MakeRepository(const Scope& scope);

inline constexpr std::string_view kAccountKind = "service account";

/// The service account of the nodes.
std::unique_ptr<Resource> MakeNodeAccount(const Scope& scope);

/// The cluster with its default pool, on which the system's pods run.
///
/// @param scope          outlives the resource.
/// @param network        empty: any; of a new cluster "default".
/// @param private_nodes  of a new cluster have no external addresses.
std::unique_ptr<Resource> MakeCluster(const Scope& scope, const std::string& network,
                                      bool private_nodes = false);

inline constexpr std::string_view kRouterKind = "router";

/// Returns the name of the router of a cluster.
std::string RouterName(const std::string& cluster);
/// Returns its description, which identifies the owner, because routers have no labels.
std::string RouterDescription(const std::string& cluster);

/// A router with NAT, through which private nodes reach the Internet.
///
/// @param network  empty: "default".
std::unique_ptr<Resource> MakeRouter(const Scope& scope, const std::string& network);

/// A pool of nodes with accelerators.
std::unique_ptr<Resource> MakeNodePool(const Scope& scope, const NodePoolSpec& pool);

/// A pool that exists, known only by its name; Converge changes its maximum number of nodes.
std::unique_ptr<Resource> MakeExistingPool(const Scope& scope, const std::string& name,
                                           std::uint32_t max_nodes);

/// Returns GKE's NodePool, or nullopt if the cluster has no such pool.
Result<std::optional<Value>> FindPool(const Scope& scope, const std::string& name,
                                      std::stop_token stop);

/// Returns the name of a pool: the given one, or one made from the accelerator.
std::string PoolName(const NodePoolSpec& pool);

/// The namespace and the service account of job pods.
///
/// @param options  outlives the resource.
std::unique_ptr<Resource> MakeNamespace(const Scope& scope, const ClusterAdminOptions& options);

/// The runner image in the repository.
///
/// @param options  outlives the resource.
/// @param reference  receives the image's name and digest; outlives the resource.
std::unique_ptr<Resource> MakeRunnerImage(const Scope& scope, const ClusterAdminOptions& options,
                                          std::string& reference);

}  // namespace kinetic::provision
