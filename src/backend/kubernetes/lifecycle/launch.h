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
