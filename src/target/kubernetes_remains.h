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

/// Target::Collect for a cluster: the outcome that the cluster shows, joined to what the collector
/// of the last attempt stored. Value and outputs are in the store, or nowhere.
Result<Target::Remains> RemainsOf(const Observed& observed, std::string_view id,
                                  store::Store& store, WallTime now, std::stop_token stop);

}  // namespace kinetic::target
