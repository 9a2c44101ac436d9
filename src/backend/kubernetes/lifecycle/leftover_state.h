#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/target.h"
#include "kube/client.h"
#include "store/object_store.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Whether the log of a job that has ended can be read from its pods. It never will be when the
/// newest of them is gone, or its node; and five minutes after the end, which is as long as
/// Kubernetes waits for a node that does not answer before it gives up the pods there.
///
/// @param observed  with the events and the nodes of the pods
Target::RestOfLog RestOf(const Observed& observed, WallTime now);

/// Target::Collect for a cluster: the outcome that the cluster shows, joined to what the collector
/// of the last attempt stored. Value and outputs are in the store, or nowhere.
Result<Target::Remains> RemainsOf(const Observed& observed, std::string_view id,
                                  store::Store& store, WallTime now, std::stop_token stop);

}  // namespace kinetic::backend
