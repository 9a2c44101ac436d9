#pragma once

#include "kinetic/profile.h"
#include "kinetic/value.h"

#include "http/transport.h"
#include "kube/kubeconfig/cluster_access.h"

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

}  // namespace kinetic::google
