#pragma once

#include "kinetic/client.h"

#include "backend/target.h"
#include "connect/connection.h"
#include "store/object_store.h"

#include <memory>
#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Opens the target that the profile of `options` names. Sends no request to a cluster.
///
/// @param store  must outlive the target.
/// @param identity  the cluster identity from a job's record; empty: the profile's current cluster.
/// @errors  kInvalidArgument (a cluster with a store that no pod can reach) · errors of
///          connect::OpenCluster.
Result<std::unique_ptr<backend::Target>> OpenTarget(const ClientOptions& options,
                                                    const connect::Seams& seams,
                                                    store::Store& store, std::string_view identity,
                                                    std::stop_token stop);

}  // namespace kinetic::job
