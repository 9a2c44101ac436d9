#pragma once

#include "kinetic/cloud.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"

#include "backend/target.h"
#include "kube/client.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

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

/// The cluster where a job is created, and the settings of its pods.
struct LaunchContext {
  const kube::Client& client;
  std::string_view name_space;
  const ClusterProfile& profile;
  const std::string& store;   ///< argument of store::Open
  const CloudOptions& cloud;  ///< the client's
  bool restricted = false;    ///< the namespace enforces the Pod Security Standard "restricted"
};

/// Implements Target::Start for a cluster: creates the job's Secret and Job concurrently, and makes
/// the Job the owner of the Secret. Existing objects of the same job are kept.
///
/// @errors  kAlreadyExists: a different Job has the name · those of BuildManifests and of the API
///          server.
Status LaunchJob(const LaunchContext& context, const Launch& launch, std::stop_token stop);

/// Implements Target::DescribeJob.
Result<std::vector<Value>> RenderManifests(const LaunchContext& context, const Launch& launch);

/// Returns the options with which pods access the store: the client's without its credential,
/// combined with the profile's settings for pods.
CloudOptions CloudOptionsForPods(const ClusterProfile& profile, const CloudOptions& client);

}  // namespace kinetic::backend
