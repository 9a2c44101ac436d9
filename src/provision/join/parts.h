#pragma once

#include "kinetic/cluster_plan.h"
#include "kinetic/health.h"
#include "kinetic/result.h"

#include "provision/join/existing_cluster.h"
#include "provision/join/kubernetes_checks.h"
#include "provision/resource.h"
#include "provision/scope.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kinetic::provision {

/// The runner image that a profile names: none, one in the repository that kinetic creates for the
/// cluster, or another one.
enum class Images : std::uint8_t { kNone, kOwn, kForeign };

/// A resource outside the cluster that jobs need, and how its check is reported.
struct Part {
  std::string check;                 ///< "bucket"
  std::string good;                  ///< the evidence if the resource exists
  std::string missing;               ///< same, if it does not
  std::string command;               ///< creates it
  Health without = Health::kFailed;  ///< if the resource does not exist
  std::unique_ptr<Resource> resource;
};

/// Returns the check of a part that was compared with what exists.
HealthCheck ToCheck(const Part& part, const Result<PlanStep>& step);

/// Returns the APIs, the bucket and the grant on it, and unless the image is a foreign one, the
/// repository with its grants and the runner image.
///
/// @param runner_image  receives the image's name; like `scope` and `options`, outlives the parts.
std::vector<Part> PartsOf(const Scope& scope, const ClusterAdminOptions& options,
                          const ExistingCluster& cluster, const KubernetesState& kubernetes,
                          Images images, std::string& runner_image);

}  // namespace kinetic::provision
