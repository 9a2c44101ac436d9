#pragma once

#include "kinetic/cloud.h"
#include "kinetic/observer.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/capabilities.h"
#include "base/time/clock.h"
#include "kube/client.h"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::backend {

/// What the Job that makes packages is made from. Nothing else has a say in it.
struct PackagesManifestRequest {
  const PackagesLaunch* launch = nullptr;  ///< required
  std::string store;                       ///< as store::Open takes it
  CloudOptions cloud;                      ///< how pods reach it; holds no secret
  ClusterProfile cluster;  ///< resolved: `name_space` and `runner_image` are not empty
  bool restricted = false;
  /// Of the client that begins it, for that to know its own; no part of the Job's name.
  std::string mark = {};
};

/// The annotation that holds the mark.
inline constexpr std::string_view kBegunByAnnotation = "kinetic.dev/begun-by";

/// How long it may take, waiting for a node included.
inline constexpr std::chrono::hours kLongestMaking{2};
/// What it exits with when it says why it failed, and another try would end the same.
inline constexpr int kMakingFailed = 1;

/// The Job: its pod has the image that jobs run upon, in which the runner is started that an init
/// container has brought. Equal requests give equal bytes, and those that differ in their marks
/// alone one name, "kinetic-packages-" with twelve digits, by which clients that want the same find
/// each other. Of the job's pod fields
/// `imagePullSecrets`, `tolerations` and `priorityClassName` count; others are about the job's own
/// machine. No credential of an index is in it.
///
/// @errors  kInternal: the cloud options hold what may be secret.
/// @source  docs/reference/kubernetes.md, "Package builds in the cluster"
Result<Value> PackagesJob(const PackagesManifestRequest& request);

/// The Secret that credentials of indexes travel in: the one that the Job waits for, owned by it,
/// immutable. Another Job has another one, for kubelets keep what they know of a Secret by its
/// name.
///
/// @param created_job  as the server answered: with its uid.
Value PackagesSecret(const Value& created_job, const PackagesLaunch& launch);

/// The selector of the pods that a Job has.
///
/// @param uid  of the Job: one that was there before under its name had others.
std::string PodsOfSelector(std::string_view uid);

/// Where packages are made.
struct MakingPlace {
  const kube::Client& client;
  const kube::Client& leaving;  ///< gives up soon: for who wants to be gone
  Clock& clock;
};

/// PackageBuilder::BuildPackages. The Job has one name for all who want the same: who finds it
/// there follows it, and makes one anew where that has ended or goes. It is removed by whoever sees
/// it end, and by the client that made it when that is stopped; the Secret goes with it. One whose
/// client was killed works on, and stores what the next one finds.
Status MakePackagesInPod(const MakingPlace& place, const PackagesManifestRequest& request,
                         Observer& observer, std::stop_token stop);

}  // namespace kinetic::backend
