#pragma once

#include "kinetic/profile.h"

#include "kube/client.h"

#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// What was found out about a namespace before a job is sent there.
struct Ground {
  bool restricted = false;  ///< it enforces the Pod Security Standard "restricted"
};

/// The oldest Kubernetes that kinetic's pods run on: the first with native sidecars.
inline constexpr int kOldestMinor = 29;

/// Asks, all at once, what would keep a job from being started: the server's version, the
/// namespace, the pods' service account, the right to create Jobs.
///
/// @errors  kFailedPrecondition (the cluster is too old) · kNotFound (namespace, service account) ·
///          kPermissionDenied (what is missing, for whom, and the rule that grants it) · those of
///          the API server.
Result<Ground> CheckGround(const kube::Client& client, std::string_view name_space,
                           const ClusterProfile& profile, std::stop_token stop);

}  // namespace kinetic::backend
