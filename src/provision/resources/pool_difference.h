#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include <cstdint>
#include <string>

namespace kinetic::provision {

/// Returns how a node pool differs from the desired one in what GKE cannot change, for example "has
/// machine type ct5lp-hightpu-1t instead of ct5lp-hightpu-4t". Returns "" if it does not.
///
/// @param existing  the NodePool of GKE.
std::string PoolDifference(const Value& existing, const NodePoolSpec& pool);

/// Returns the number of nodes of a multi-host slice, or 0 if the pool is none.
///
/// @param existing  the NodePool of GKE.
std::uint32_t SliceNodes(const Value& existing);

/// Checks the maximum number of nodes of a multi-host slice, all of which are needed at once.
///
/// @errors  kInvalidArgument: names the right number.
Status CheckSliceSize(const std::string& pool, std::uint32_t slice_nodes, std::uint32_t max_nodes);

}  // namespace kinetic::provision
