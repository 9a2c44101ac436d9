#pragma once

#include "kinetic/result.h"

#include "backend/kubernetes/cluster_clients.h"
#include "backend/kubernetes/nodes/provisioning_job.h"

#include <functional>
#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// Implements NodeProvisioner::ProvisionNode: creates the Job of MakeProvisioningJob, waits for the stop
/// request, and deletes the Job, even if creating it failed, because only the response may have
/// been lost.
///
/// @errors  those of MakeProvisioningJob and kube::Client.
Status ProvisionNode(const ClusterClients& clients, const ProvisioningJobRequest& request,
                     const std::function<void(std::string_view)>& requested, std::stop_token stop);

}  // namespace kinetic::backend
