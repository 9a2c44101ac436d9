#pragma once

#include "kinetic/profile.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "http/transport.h"
#include "kube/kubeconfig/cluster_access.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::google {

/// The fields of a cluster that GkeAccess looks at, as the container API takes them.
inline constexpr const char* kGkeFields =
    "name,status,statusMessage,endpoint,masterAuth/clusterCaCertificate,"
    "controlPlaneEndpointsConfig,privateClusterConfig/privateEndpoint";

/// "projects/p/locations/l/clusters/c"
std::string GkeName(const ClusterProfile& profile);

/// Server and authority of a cluster, as the container API describes it: by its address, its
/// address within its network, or its name in DNS, whichever the profile wants or the cluster has
/// alone. A name in DNS is proven by the system's authorities.
///
/// @errors  kFailedPrecondition: it is being made or removed, has not this endpoint, or does not
/// let
///          it be used · kInvalidArgument (both endpoints are wanted) · kUnavailable (no such
///          answer).
/// @source
/// https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters
Result<kube::ClusterAccess> GkeAccess(const ClusterProfile& profile, const Value& cluster);

/// What a refusal of the container API means, as google::ErrorFrom says it.
Error GkeErrorOf(const http::Request& request, const http::Response& response);

inline constexpr const char* kContainerApi = "https://container.googleapis.com";

/// Where GKE's clusters were the last time, in a folder that nobody but its owner can look into:
/// one request less for each command.
///
/// @threads  safe to call concurrently, also from several processes.
class GkePlaces {
 public:
  /// Both outlive it. @param folder  made, 0700, when it is needed; empty: nothing is kept.
  GkePlaces(FileSystem& fs, Clock& clock, Path folder)
      : fs_(&fs), clock_(&clock), folder_(std::move(folder)) {}

  /// Nothing after half a day: addresses change seldom, and then the old ones are to be forgotten.
  std::optional<kube::ClusterAccess> Find(const ClusterProfile& profile) const;
  void Keep(const ClusterProfile& profile, const kube::ClusterAccess& access) const;
  void Forget(const ClusterProfile& profile) const;

 private:
  Path FileOf(const ClusterProfile& profile) const;

  FileSystem* fs_;
  Clock* clock_;
  Path folder_;
};

/// Asks Google where a cluster is.
///
/// @param   google  shows the caller's credential.
/// @param   api     kContainerApi, or what stands in for it.
/// @errors  kNotFound (those that are there are named) · kPermissionDenied · kUnauthenticated ·
///          kUnavailable · those of GkeAccess.
Result<kube::ClusterAccess> LocateGkeCluster(http::Transport& google, Clock& clock,
                                             const std::string& api, const ClusterProfile& profile,
                                             std::stop_token stop);

}  // namespace kinetic::google
