#pragma once

#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/capabilities.h"

#include <chrono>
#include <string>

namespace kinetic::backend {

/// What the Job that asks for a node is made from. Nothing else has a say in it.
struct NodeAheadRequest {
  NodeRequest node;
  ClusterProfile cluster;   ///< resolved: `name_space` and `runner_image` are not empty
  bool restricted = false;  ///< the namespace enforces the Pod Security Standard "restricted"
  std::string digits;       ///< of its name, which nobody else has: [a-z0-9]
};

/// How long it stays where no node comes and whoever made it was killed.
inline constexpr std::chrono::minutes kLongestAhead{10};

/// The Job that asks for a node ahead of a job, "kinetic-ahead-" with the digits: its pod goes
/// where the job's will and asks for the same, chips included, so that an autoscaler makes the node
/// that the job will need. There it has the runner's image and that of the job pulled, runs the
/// launcher for its version, and ends at once. It is none of kinetic's jobs, and goes by itself.
///
/// @errors  kFailedPrecondition (Kueue, or a volume of the job's, decides where it may run) · those
///          of BuildManifests.
/// @source  docs/reference/kubernetes.md, "Node provisioning ahead"
Result<Value> NodeAheadJob(const NodeAheadRequest& request);

}  // namespace kinetic::backend
