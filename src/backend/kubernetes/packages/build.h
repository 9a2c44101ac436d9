#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "backend/kubernetes/cluster_clients.h"
#include "backend/kubernetes/packages/build_job.h"

#include <stop_token>

namespace kinetic::backend {

/// Implements PackageBuilder::BuildPackages. Clients with equal requests use the same Job name: a
/// client follows the existing Job, and replaces one that has ended or is being deleted. The Job is
/// deleted by each client that sees its end, and by the client that created it if that is stopped.
/// The Secret is deleted with it. If the creating client is killed, the Job continues and stores
/// packages for later clients.
Status BuildPackagesInPod(const ClusterClients& clients, const PackageBuildManifestRequest& request,
                          Observer& observer, std::stop_token stop);

}  // namespace kinetic::backend
