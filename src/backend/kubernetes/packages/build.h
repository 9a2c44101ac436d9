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

/// The complete input of a package build's manifests.
struct PackagesManifestRequest {
  const PackagesLaunch* launch = nullptr;  ///< required
  std::string store;                       ///< argument of store::Open
  CloudOptions cloud;                      ///< to access it from a pod; contains no secret
  ClusterProfile cluster;  ///< resolved: `name_space` and `runner_image` are not empty
  bool restricted = false;
  /// Identifies the client that starts the build. Not part of the Job's name.
  std::string mark = {};
};

/// Annotation with the mark.
inline constexpr std::string_view kBegunByAnnotation = "kinetic.dev/begun-by";

/// Maximum duration, including the wait for a node.
inline constexpr std::chrono::hours kLongestMaking{2};
/// Exit code of a build that reported why it failed, and would fail again.
inline constexpr int kMakingFailed = 1;

/// Returns the Job. Its pod runs the jobs' base image, into which an init container copies the
/// runner. Equal requests give equal bytes. Requests that differ only in their marks have the same
/// name, "kinetic-packages-" with twelve digits, so that clients find each other's builds. Of the
/// job's pod fields, only `imagePullSecrets`, `tolerations` and `priorityClassName` apply. Contains
/// no credentials of package indexes.
///
/// @errors  kInternal: the cloud options contain credentials.
/// @source  docs/reference/kubernetes.md, "Package builds in the cluster"
Result<Value> PackagesJob(const PackagesManifestRequest& request);

/// Returns the Secret with credentials of package indexes. The Job waits for it and owns it. It is
/// immutable. Each Job has its own, because kubelets cache Secrets by name.
///
/// @param created_job  as returned by the server, with its UID.
Value PackagesSecret(const Value& created_job, const PackagesLaunch& launch);

/// Returns the selector of a Job's pods.
///
/// @param uid  of the Job, because an earlier Job may have had the same name.
std::string PodsOfSelector(std::string_view uid);

/// The cluster that builds packages.
struct MakingPlace {
  const kube::Client& client;
  const kube::Client& leaving;  ///< has short timeouts, for cleanup
  Clock& clock;
};

/// Implements PackageBuilder::BuildPackages. Clients with equal requests use the same Job name: a
/// client follows the existing Job, and replaces one that has ended or is being deleted. The Job is
/// deleted by each client that sees its end, and by the client that created it if that is stopped.
/// The Secret is deleted with it. If the creating client is killed, the Job continues and stores
/// packages for later clients.
Status MakePackagesInPod(const MakingPlace& place, const PackagesManifestRequest& request,
                         Observer& observer, std::stop_token stop);

}  // namespace kinetic::backend
