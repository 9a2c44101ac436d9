#pragma once

#include "kinetic/client.h"

#include "cloud/connection.h"
#include "store/store.h"
#include "target/target.h"

#include <memory>
#include <stop_token>

namespace kinetic::job {

/// Opens the target that the profile of `options` names. No cluster is asked anything yet.
///
/// @param store  outlives it.
/// @errors  kInvalidArgument (a cluster with a store that no pod can reach) · those of
///          cloud::OpenCluster.
Result<std::unique_ptr<target::Target>> OpenTarget(const ClientOptions& options,
                                                   const cloud::Seams& seams, store::Store& store,
                                                   std::stop_token stop);

}  // namespace kinetic::job
