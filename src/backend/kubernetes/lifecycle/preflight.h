#pragma once

#include "kinetic/profile.h"
#include "kinetic/result.h"

#include "kube/client.h"

#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// Properties of a namespace, determined before a job is created in it.
struct NamespaceCapabilities {
  bool restricted = false;  ///< it enforces the Pod Security Standard "restricted"
};

/// The oldest Kubernetes version that kinetic supports: the first with native sidecars.
inline constexpr int kOldestMinor = 29;

/// Finds reasons why a job cannot be created: the server's version, the namespace, the pods'
/// service account, and the permission to create Jobs. Checks them concurrently.
///
/// @errors  kFailedPrecondition (the cluster is too old) · kNotFound (namespace, service account) ·
///          kPermissionDenied (with the account, the permission and the command that grants it) ·
///          those of the API server.
Result<NamespaceCapabilities> CheckNamespace(const kube::Client& client,
                                             std::string_view name_space,
                                             const ClusterProfile& profile, std::stop_token stop);

}  // namespace kinetic::backend
