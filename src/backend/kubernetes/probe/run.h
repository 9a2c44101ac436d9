#pragma once

#include "kinetic/cloud.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/kubernetes/manifest/cluster_clients.h"

#include <chrono>
#include <stop_token>
#include <string>

namespace kinetic::backend {

/// The input of a probe's manifest.
struct ProbeRequest {
  std::string store;       ///< argument of store::Open
  CloudOptions cloud;      ///< to access it from a pod; contains no secret
  ClusterProfile cluster;  ///< resolved: `name_space` and `runner_image` are not empty
  bool restricted = false;
  std::string digits;  ///< of the name, "kinetic-probe-DIGITS"
};

/// Returns a Job whose pod runs the runner image without an accelerator, as the service account of
/// job pods, and uses the store. It is deleted by the cluster a minute after its end.
Value MakeProbeJob(const ProbeRequest& request, std::chrono::seconds deadline);

/// Runs the probe and deletes its Job.
///
/// @returns  the name of the pod's node.
/// @errors   those of the store, from the pod · kFailedPrecondition (the pod did not start, with
///           the cause) · those of the API server.
Result<std::string> RunProbe(const ClusterClients& clients, const ProbeRequest& request,
                             std::chrono::seconds deadline, std::stop_token stop);

}  // namespace kinetic::backend
