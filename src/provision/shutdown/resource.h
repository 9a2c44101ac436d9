#pragma once

#include "provision/plan.h"
#include "provision/resource.h"

#include <memory>

namespace kinetic::provision {

/// The CronJob that deletes the cluster after spec.ttl or spec.down_when_idle, with what it needs.
/// What spec leaves open stays as it is.
///
/// @param state  outlives the resource.
std::unique_ptr<Resource> MakeShutdown(const ClusterPlan::State& state);

}  // namespace kinetic::provision
