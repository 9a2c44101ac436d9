#pragma once

#include "kinetic/cluster_status.h"
#include "kinetic/value.h"

#include "provision/scope.h"

#include <optional>
#include <string_view>

namespace kinetic::provision {

/// Returns what GKE reports about a node pool, with the price of a node. Its number of nodes is not
/// set.
///
/// @param pool  the NodePool of GKE.
NodePoolStatus PoolStatusOf(const Scope& scope, const Value& pool, const Prices& prices);

/// Returns the price of one node of a pool in a region ("us-west4"), or nullopt if it is unknown.
std::optional<Price> NodePriceOf(const NodePoolSpec& pool, std::string_view region,
                                 const Prices& prices);

/// Returns the price of a node for the system's pods, with its disk and address.
std::optional<Price> SystemNodePrice(std::string_view region);

}  // namespace kinetic::provision
