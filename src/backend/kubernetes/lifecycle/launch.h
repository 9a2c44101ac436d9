#pragma once

#include "kinetic/cloud.h"
#include "kinetic/profile.h"

#include "backend/target.h"
#include "kube/client.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

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

/// Where a job is launched, and what its pods are told.
struct LaunchPlace {
  const kube::Client& client;
  std::string_view name_space;
  const ClusterProfile& profile;
  const std::string& store;   ///< as store::Open takes it
  const CloudOptions& cloud;  ///< the client's
  bool restricted = false;    ///< the namespace enforces the Pod Security Standard "restricted"
};

/// Target::Start for a cluster: creates the job's Secret and its Job at the same time, and gives
/// the one to the other. What is there already and was made for the same job is left as it is.
///
/// @errors  kAlreadyExists: a Job of that name belongs to something else · those of BuildManifests
///          and of the API server.
Status LaunchJob(const LaunchPlace& place, const Launch& launch, std::stop_token stop);

/// ClusterApi::DescribeJob.
Result<std::vector<Value>> DescribeLaunch(const LaunchPlace& place, const Launch& launch);

/// How a pod reaches the store: the client's options without its credential, with what the profile
/// says about pods.
CloudOptions CloudOfPods(const ClusterProfile& profile, const CloudOptions& client);

}  // namespace kinetic::backend
