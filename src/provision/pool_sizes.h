#pragma once

#include "kinetic/result.h"

#include "provision/plan.h"

#include <stop_token>

namespace kinetic::provision {

/// Finds the pools that exist, and compares those of a plan's spec with them. A pool whose spec has no
/// maximum number of nodes keeps its current maximum. Adds a warning for each maximum that decreases,
/// and the price of the existing pools. If the cluster has public nodes, it keeps them, with a warning.
/// Removes existing slices of several machines from the spec, with a warning.
///
/// @errors  those of ApiClient and CheckNewPools.
Status CompareSizes(ClusterPlan::State& state, std::stop_token stop);

}  // namespace kinetic::provision
