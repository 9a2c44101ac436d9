#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/value.h"

#include "base/time/clock.h"
#include "connect/cluster.h"
#include "kube/client.h"
#include "provision/scope.h"
#include "provision/shutdown/policy.h"

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::provision {

/// The Kubernetes API of the cluster.
class ClusterAccess {
 public:
  /// @errors  those of connect::OpenCluster: kNotFound, kFailedPrecondition (not yet running).
  ///
  /// @param kube  its server is not used.
  static Result<ClusterAccess> Open(const Scope& scope, const ClusterAdminOptions& options,
                                    std::stop_token stop, kube::ClientOptions kube = {});

  /// Same, for information that is not required: a server that does not respond is retried for a
  /// few seconds.
  static Result<ClusterAccess> OpenToRead(const Scope& scope, const ClusterAdminOptions& options,
                                          std::stop_token stop);

  /// Returns nullopt if the cluster runs no jobs: it does not exist, is being created or deleted, or
  /// is in state ERROR.
  ///
  /// @errors  those of Open for a cluster that may run jobs.
  static Result<std::optional<ClusterAccess>> Find(const Scope& scope,
                                                   const ClusterAdminOptions& options,
                                                   std::stop_token stop);

  const kube::Client& client() const { return client_; }
  const std::string& name() const { return name_; }                             ///< of the cluster
  const std::string& name_space() const { return cluster_.default_namespace; }  ///< of jobs

 private:
  ClusterAccess(std::string name, connect::Cluster cluster, kube::ClientOptions options);

  std::string name_;

  connect::Cluster cluster_;
  kube::Client client_;
};

/// The label of kinetic's Jobs and their pods.
inline constexpr std::string_view kJobIdLabel = "kinetic.dev/job-id";

/// Returns whether a Job has succeeded or failed.
bool HasEnded(const Value& job);

/// The label of the users' namespaces; its value is the cluster's name.
inline constexpr std::string_view kClusterLabel = "kinetic.dev/cluster";

/// Returns the namespaces with jobs: that of kinetic and those of the users.
Result<std::vector<std::string>> ListNamespaces(const ClusterAccess& cluster, std::stop_token stop);

/// Deletes a namespace with all that is in it, and waits until it is gone.
Status DeleteNamespace(const ClusterAccess& cluster, std::string_view name, std::stop_token stop);

/// Returns the names of kinetic's Jobs in these namespaces that have not ended.
Result<std::vector<std::string>> ListRunningJobs(const ClusterAccess& cluster,
                                                 const std::vector<std::string>& namespaces,
                                                 std::stop_token stop);

/// Returns the IDs of jobs that run on the nodes of a pool.
Result<std::vector<std::string>> ListJobsOnPool(const ClusterAccess& cluster,
                                                const std::string& pool, std::stop_token stop);

/// Returns the CronJob that deletes the cluster, or nullopt if there is none.
Result<std::optional<Value>> FindShutdownCronJob(const ClusterAccess& cluster,
                                                 std::stop_token stop);

/// Returns the policy of the CronJob that deletes the cluster, or nullopt if there is none.
Result<std::optional<ShutdownPolicy>> FindShutdownPolicy(const ClusterAccess& cluster,
                                                         std::stop_token stop);

/// When the nodes of each node pool were created.
using NodeTimes = std::map<std::string, std::vector<WallTime>>;
Result<NodeTimes> ListNodes(const ClusterAccess& cluster, std::stop_token stop);

/// Same, for information that is not required. Returns nullopt if the nodes cannot be listed.
///
/// @errors  kCancelled.
Result<std::optional<NodeTimes>> FindNodes(const Scope& scope, const ClusterAdminOptions& options,
                                           const std::stop_token& stop);

}  // namespace kinetic::provision
