#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/target.h"
#include "base/time/clock.h"
#include "store/object_store.h"

#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// Returns whether the log of an ended job can be read from its pods. It is lost if the newest pod
/// or its node no longer exists. It also counts as lost five minutes after the end, when Kubernetes
/// gives up the pods of a node that does not respond.
///
/// @param snapshot  with the events and the nodes of the pods.
LogAvailability LogAvailabilityOf(const ClusterSnapshot& snapshot, WallTime now);

/// Implements Target::Collect for a cluster: combines the state of the cluster with what the
/// collector stored of the last attempt. Value and outputs are in the store or lost.
Result<CollectedState> CollectState(const ClusterSnapshot& snapshot, std::string_view id,
                                    store::Store& store, WallTime now, std::stop_token stop);

}  // namespace kinetic::backend
