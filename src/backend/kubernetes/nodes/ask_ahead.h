#pragma once

#include "kinetic/result.h"

#include "backend/kubernetes/nodes/provisioning_job.h"
#include "kube/client.h"

#include <functional>
#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// Who asks.
struct AskingPlace {
  const kube::Client& client;
  const kube::Client& leaving;  ///< gives up soon: for who wants to be gone
};

/// NodeProvisioner::ProvisionNode: creates the Job of NodeAheadJob, waits until it is stopped,
/// and removes it, whatever the server has said of it: an answer may have been lost.
///
/// @errors  those of NodeAheadJob and kube::Client.
Status AskAhead(const AskingPlace& place, const NodeAheadRequest& request,
                const std::function<void(std::string_view)>& asked, std::stop_token stop);

}  // namespace kinetic::backend
