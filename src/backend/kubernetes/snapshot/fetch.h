#pragma once

#include "kinetic/result.h"

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "kube/client.h"

#include <cstdint>
#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// What is queried about a job.
enum class Detail : std::uint8_t {
  kState,  ///< its Job and its pods
  kEnd,    ///< also their events, and the nodes of these pods
  kCause,  ///< also their events, all nodes, and the quotas of the namespace
};

/// Queries the cluster for a job, with concurrent requests where possible. Skips resources that the
/// account cannot read, except for the Job and its pods.
Result<ClusterSnapshot> FetchSnapshot(const kube::Client& client, std::string_view name_space,
                                      std::string_view id, Detail detail, std::stop_token stop);

}  // namespace kinetic::backend
