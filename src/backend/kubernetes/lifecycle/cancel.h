#pragma once

#include "backend/kubernetes/snapshot/job_monitor.h"
#include "kube/client.h"
#include "pod/collect_request.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Suspends the Job of a job that is to end, so that its pods are ended and its record in the
/// cluster stays. False: it has none.
Result<bool> SuspendJob(const kube::Client& client, std::string_view name_space,
                        std::string_view id, Cause cause, std::stop_token stop);

/// Ends a job: says so in the store, suspends its Job, so that its pods are ended and its record in
/// the cluster stays, and waits until none is left. Pods that do not go within their grace are
/// removed by force.
Status EndJob(const WatchedJob& job, const pod::StopCause& cause, std::stop_token stop);

/// Removes the Job, its pods and its Secret. What is not there is removed already.
Status RemoveObjects(const kube::Client& client, std::string_view name_space, std::string_view id,
                     std::stop_token stop);

/// Which Secrets are looked at.
struct LeftoverSearch {
  std::string_view name_space;
  std::string_view store;  ///< of others nothing is touched
  WallTime now;
  bool dry_run = false;  ///< nothing is removed
};

/// ClusterApi::RemoveOrphans: Secrets whose client died between making them and giving
/// them to their Jobs, where there is no such Job. Younger ones than an hour stay: their Jobs may
/// be on the way.
///
/// @errors  kPermissionDenied: these Secrets may not be listed, or not be removed · those of
///          kube::Client.
Result<std::vector<std::string>> RemoveLeftSecrets(const kube::Client& client,
                                                   const LeftoverSearch& search,
                                                   std::stop_token stop);

}  // namespace kinetic::backend
