#pragma once

#include "kinetic/cluster.h"
#include "kinetic/value.h"

#include <string>

namespace kinetic::provision {

/// Returns how a node pool differs from the desired one in what GKE cannot change, for example "has
/// machine type ct5lp-hightpu-1t instead of ct5lp-hightpu-4t". Returns "" if it does not.
///
/// @param existing  the NodePool of GKE.
std::string PoolDifference(const Value& existing, const NodePoolSpec& pool);

/// Returns whether a pool is a multi-host slice, which is created and deleted as a whole.
bool IsMultiHost(const NodePoolSpec& pool);

}  // namespace kinetic::provision
