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

/// Which cluster is to be opened, and with what.
struct ClusterOptions {
  TargetKind kind = TargetKind::kKubernetes;
  ClusterProfile profile;
  /// What a job's record keeps of its cluster: Cluster::identity. Where the profile's context leads
  /// elsewhere by now, another context of the same files that leads there is taken. Empty: any.
  std::string identity;
  /// The credential (kGke alone), the proxy where the kubeconfig names none, the CA file where it
  /// names none, the HTTP version, and who is told of requests.
  CloudOptions cloud;
  std::string search_path;                         ///< of credential plugins
  std::map<std::string, std::string> environment;  ///< of credential plugins, all of it
  /// A folder where, for the owner's eyes alone, is kept what plugins gave until it expires, and
  /// where GKE's clusters are: made when it is needed. Empty: nothing is kept.
  Path cache;
  std::string container_api;  ///< what stands in for GKE's own; empty: Google's
  Path account_folder;        ///< of a pod; empty: where Kubernetes puts it
};

/// A cluster that can be asked.
struct Cluster {
  /// Shows the credential, renews it, and once more when it is refused; checks the server by the
  /// cluster's own CA. It owns all that it needs but the seams.
  std::shared_ptr<http::Transport> transport;
  std::string server;             ///< "https://10.0.0.1:6443", without a '/' at its end
  std::string default_namespace;  ///< the profile's, else the context's, else "default"
  /// "kubernetes:https://10.0.0.1:6443#4f1c0a99b2de/ml": server, the beginning of its CA's sha256,
  /// namespace; "gke:PROJECT/LOCATION/CLUSTER/ml" for one found by name. Nothing of it is secret.
  std::string identity;
  std::string context;  ///< of the kubeconfig; empty where there is none
};

/// Reads the kubeconfigs, or finds the cluster at GKE. The API server itself is not asked, a plugin
/// is not run: the first request does.
///
/// @errors  kInvalidArgument (a kubeconfig: file, line and column) · kNotFound (the kubeconfig, the
///          context: the nearest is named; a GKE cluster) · kFailedPrecondition (a certificate, an
///          in-cluster account outside a cluster, an endpoint that the cluster has not, a cluster
///          other than `identity`) · kUnauthenticated, kPermissionDenied, kUnavailable (Google).
/// @source  https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/,
///          https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters/get
Result<Cluster> OpenCluster(const ClusterOptions& options, const Seams& seams,
                            std::stop_token stop);

}  // namespace kinetic::connect
