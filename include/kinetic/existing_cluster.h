#pragma once

#include "kinetic/cluster_plan.h"
#include "kinetic/export.h"
#include "kinetic/health.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::inline v0 {

/// The state of an existing GKE cluster, as far as jobs depend on it.
struct ClusterInspection {
  /// For jobs on the cluster. Without a runner image if there is none yet.
  Profile profile;
  std::vector<HealthCheck> checks;  ///< the advice is a command that creates what is missing
  /// Creates what is missing and harmless: APIs, namespace, service account, bucket, image
  /// repository, runner image, and grants for pods and nodes. Never changes the cluster itself.
  ClusterPlan missing;
};

/// Returns the profile that PlanUp would make for a cluster of that project and name, without
/// location and images.
KINETIC_EXPORT Profile DefaultClusterProfile(const std::string& project, const std::string& name);

/// Compares a GKE cluster and its resources with the requirements of a profile. Changes nothing.
///
/// If the cluster does not have the profile's endpoint, another one is used. What cannot be read is
/// a warning.
///
/// @param   profile  its location may be empty: the cluster is found by its name. An empty
///                   namespace or service account is "default".
/// @errors  kNotFound (the project; the cluster: the hint suggests existing ones) ·
///          kInvalidArgument (the bucket; several clusters have the name) · kPermissionDenied (the
///          hint names the role) · kUnauthenticated · kUnavailable · kCancelled.
/// @threads safe to call concurrently.
KINETIC_EXPORT Result<ClusterInspection> InspectCluster(const Profile& profile,
                                                        const ClusterAdminOptions& options,
                                                        std::stop_token stop = {});

}  // namespace kinetic::inline v0
