#pragma once

#include "kinetic/result.h"

#include "kube/client.h"
#include "target/kubernetes_node_ahead.h"

#include <functional>
#include <stop_token>
#include <string_view>

namespace kinetic::target {

/// Who asks.
struct AskingPlace {
  const kube::Client& client;
  const kube::Client& leaving;  ///< gives up soon: for who wants to be gone
};

/// Target::AskForNode for a cluster: creates the Job of NodeAheadJob, waits until it is stopped,
/// and removes it, whatever the server has said of it: an answer may have been lost.
///
/// @errors  those of NodeAheadJob and kube::Client.
Status AskAhead(const AskingPlace& place, const NodeAheadRequest& request,
                const std::function<void(std::string_view)>& asked, std::stop_token stop);

}  // namespace kinetic::target
