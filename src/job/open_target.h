#pragma once

#include "kinetic/client.h"

#include "cloud/cluster.h"
#include "cloud/connection.h"
#include "store/store.h"
#include "target/target.h"

#include <memory>
#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Opens the target that the profile of `options` names. No cluster is asked anything yet.
///
/// @param store  outlives it.
/// @param identity  of a cluster, as a job's record has it; empty: where the profile leads now.
/// @errors  kInvalidArgument (a cluster with a store that no pod can reach) · those of
///          cloud::OpenCluster.
Result<std::unique_ptr<target::Target>> OpenTarget(const ClientOptions& options,
                                                   const cloud::Seams& seams, store::Store& store,
                                                   std::string_view identity, std::stop_token stop);

/// Opens the cluster that the profile of `options` names; the same errors.
Result<cloud::Cluster> OpenClusterOf(const ClientOptions& options, const cloud::Seams& seams,
                                     std::string_view identity, std::stop_token stop);

}  // namespace kinetic::job
