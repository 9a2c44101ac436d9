#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/capabilities.h"
#include "kube/client.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// The complete input of the Job that requests a node.
struct ProvisioningJobRequest {
  NodeRequest node;
  ClusterProfile cluster;   ///< resolved: `name_space` and `runner_image` are not empty
  bool restricted = false;  ///< the namespace enforces the Pod Security Standard "restricted"
  std::string digits;       ///< unique part of its name: [a-z0-9]
};

/// Maximum lifetime, if no node is created and the client was killed.
inline constexpr std::chrono::minutes kProvisioningDeadline{10};

/// Returns the Job that requests a node ahead of a job, "kinetic-provisioning-" with the digits. Its pod
/// has the placement and the requests of the job's pod, chips included, so that an autoscaler
/// creates the node that the job will need. On that node it pulls the images of the runner and of
/// the job, runs the launcher for its version, and ends. It is not a job of kinetic and is deleted
/// automatically.
///
/// @errors  kFailedPrecondition (Kueue, or a volume of the job, decides where it runs) · those of
///          BuildManifests.
/// @source  docs/reference/kubernetes.md, "Node provisioning ahead"
Result<Value> MakeProvisioningJob(const ProvisioningJobRequest& request);

}  // namespace kinetic::backend
