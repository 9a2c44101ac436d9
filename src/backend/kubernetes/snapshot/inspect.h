#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/target.h"
#include "kube/client.h"

#include <cstdint>
#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// How much is asked about a job.
enum class Depth : std::uint8_t {
  kState,  ///< its Job and its pods
  kEnd,    ///< also their events, and the nodes of these pods
  kCause,  ///< also their events, all nodes, and the quotas of the namespace
};

/// What the cluster knows of a job just now, by requests that are sent at once where none needs
/// another's answer. What may not be seen is left out, but for the Job itself and its pods.
Result<Observed> LookAtJob(const kube::Client& client, std::string_view name_space,
                           std::string_view id, Depth depth, std::stop_token stop);

/// How the job stands.
Observation ObservationOf(const Observed& observed, WallTime now);

}  // namespace kinetic::backend
