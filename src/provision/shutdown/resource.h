#pragma once

#include "provision/plan.h"
#include "provision/resource.h"

#include <memory>

namespace kinetic::provision {

/// The CronJob that deletes the cluster after spec.ttl or spec.down_when_idle, with its account and
/// roles. Limits that are not set in the spec are unchanged.
///
/// @param state  outlives the resource.
std::unique_ptr<Resource> MakeShutdown(const ClusterPlan::State& state);

}  // namespace kinetic::provision
