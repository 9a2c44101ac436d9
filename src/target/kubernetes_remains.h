#pragma once

#include "kube/client.h"
#include "store/store.h"
#include "target/kubernetes_observed.h"
#include "target/target.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::target {

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

}  // namespace kinetic::target
