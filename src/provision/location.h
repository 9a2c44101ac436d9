#pragma once

#include "kinetic/cluster.h"
#include "kinetic/result.h"

#include "google/api/client.h"

#include <stop_token>
#include <string>

namespace kinetic::provision {

/// Returns the zone for a cluster that does not specify one: a zone known to have the accelerator
/// of the first pool.
std::string DefaultZone(const ClusterSpec& spec);

/// Checks that a zone has the machine types of all pools.
///
/// @errors  kInvalidArgument: the hint lists zones that have it · those of ApiClient.
Status CheckZone(const google::ApiClient& api, const ClusterSpec& spec, std::stop_token stop);

}  // namespace kinetic::provision
