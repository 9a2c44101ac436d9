#pragma once

#include "kinetic/cluster_status.h"
#include "kinetic/value.h"

#include <string_view>

namespace kinetic::provision {

/// Returns what GKE reports about a node pool, with the price of a node. Its number of nodes is not
/// set.
///
/// @param pool    the NodePool of GKE.
/// @param region  for the price: "us-west4".
NodePoolStatus PoolStatusOf(const Value& pool, std::string_view region, const Prices& prices);

}  // namespace kinetic::provision
