#pragma once

#include "kinetic/cloud.h"
#include "kinetic/profile.h"

#include "connect/connection.h"
#include "http/transport.h"

#include <map>
#include <memory>
#include <stop_token>
#include <string>

namespace kinetic::connect {

/// How to open a cluster.
struct ClusterOptions {
  TargetKind kind = TargetKind::kKubernetes;
  ClusterProfile profile;
  /// The Cluster::identity in a job's record. If the profile's context now refers to another
  /// cluster, another context of the same files with this identity is used. Empty: any cluster.
  std::string identity;
  /// The credential (for kGke only), HTTP version and request sink; proxy and CA file unless the
  /// kubeconfig has them.
  CloudOptions cloud;
  std::string search_path;                         ///< of credential plugins
  std::map<std::string, std::string> environment;  ///< of credential plugins
  /// A folder for cached plugin credentials and GKE endpoints, created when needed and readable by
  /// its owner only. Empty: disables the caches.
  Path cache;
  Path account_folder;  ///< of a pod's service account; empty: the default
};

/// An open cluster.
struct Cluster {
  /// Adds and refreshes the credential and verifies the server. Owns everything except
  /// Dependencies.
  std::shared_ptr<http::Transport> transport;
  std::string server;             ///< "https://10.0.0.1:6443", without a '/' at its end
  std::string default_namespace;  ///< from the profile, the context, or "default"
  /// "kubernetes:https://10.0.0.1:6443#4f1c0a99b2de/ml" (server, start of the CA's SHA-256,
  /// namespace) or "gke:PROJECT/LOCATION/CLUSTER/ml". Contains no secret.
  std::string identity;
  std::string context;  ///< of the kubeconfig; empty: none
};

/// Opens a cluster from kubeconfigs or by its GKE name. Sends no request to the API server and runs
/// no plugin: the first request does.
///
/// @errors  kInvalidArgument (a kubeconfig, with line and column) · kNotFound (kubeconfig, context
///          or GKE cluster) · kFailedPrecondition (a certificate, not running in a pod, an endpoint
///          that the cluster lacks, a cluster other than `identity`) · kUnauthenticated,
///          kPermissionDenied, kUnavailable (Google).
/// @source  https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/,
///          https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters/get
Result<Cluster> OpenCluster(const ClusterOptions& options, const Dependencies& deps,
                            std::stop_token stop);

/// Returns whether a target identity is that of a cluster: a Cluster::identity.
bool IsClusterIdentity(std::string_view identity);

}  // namespace kinetic::connect
