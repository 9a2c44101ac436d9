#pragma once

#include "kinetic/cluster.h"
#include "kinetic/result.h"

#include "google/api/client.h"

#include <stop_token>
#include <string>

namespace kinetic::provision {

/// Returns the zone for a cluster that does not specify one: that of the cluster if it exists, else
/// one in the region of its bucket if that exists, else one known to have the accelerator of the
/// first pool.
Result<std::string> ChooseZone(const google::ApiClient& api, const ClusterSpec& spec,
                               const std::string& bucket, std::stop_token stop);

/// Checks that a zone has the machine types of all pools.
///
/// @errors  kInvalidArgument: the hint lists zones that have it · those of ApiClient.
Status CheckZone(const google::ApiClient& api, const ClusterSpec& spec, std::stop_token stop);

}  // namespace kinetic::provision
