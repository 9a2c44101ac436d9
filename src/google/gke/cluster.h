#pragma once

#include "kinetic/profile.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "google/api/client.h"
#include "kube/kubeconfig/cluster_access.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::google {

/// The fields of a cluster that ParseGkeCluster needs, as a field mask.
inline constexpr const char* kGkeClusterFields =
    "name,status,statusMessage,endpoint,masterAuth/clusterCaCertificate,"
    "controlPlaneEndpointsConfig,privateClusterConfig/privateEndpoint";

/// Returns "projects/p/locations/l/clusters/c".
std::string GkeResourceName(const ClusterProfile& profile);

/// Returns server and CA of a cluster from the container API's response. The endpoint is the public
/// or private address or the DNS name, as the profile requests or the cluster provides. DNS names
/// are verified with the system's CAs.
///
/// @errors  kFailedPrecondition (the cluster is being created or deleted, or the endpoint is not
///          available) · kInvalidArgument (both endpoints are requested) · kUnavailable (an invalid
///          response).
/// @source
/// https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters
Result<kube::ClusterAccess> ParseGkeCluster(const ClusterProfile& profile, const Value& cluster);

/// A cache of the endpoints of GKE clusters, in a folder that only its owner can read.
///
/// @threads  safe to call concurrently, also from several processes.
class GkeClusterCache {
 public:
  /// @param fs, clock  must outlive it.
  /// @param folder     created with mode 0700 when needed; empty: disables the cache.
  GkeClusterCache(FileSystem& fs, Clock& clock, Path folder)
      : fs_(&fs), clock_(&clock), folder_(std::move(folder)) {}

  /// Returns an entry, or nullopt if there is none or it is older than 12 hours.
  std::optional<kube::ClusterAccess> Find(const ClusterProfile& profile) const;
  void Store(const ClusterProfile& profile, const kube::ClusterAccess& access) const;
  void Erase(const ClusterProfile& profile) const;

 private:
  Path FileOf(const ClusterProfile& profile) const;

  FileSystem* fs_;
  Clock* clock_;
  Path folder_;
};

/// Requests the endpoint of a cluster from the container API.
///
/// @errors  kNotFound (the hint suggests existing clusters) · kPermissionDenied · kUnauthenticated
///          · kUnavailable · those of ParseGkeCluster.
Result<kube::ClusterAccess> FindGkeCluster(const ApiClient& api, const ClusterProfile& profile,
                                           std::stop_token stop);

}  // namespace kinetic::google
