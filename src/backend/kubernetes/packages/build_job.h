#pragma once

#include "kinetic/cloud.h"
#include "kinetic/observer.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/capabilities.h"
#include "backend/kubernetes/cluster_clients.h"
#include "base/time/clock.h"
#include "kube/client.h"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::backend {

/// The complete input of a package build's manifests.
struct PackageBuildManifestRequest {
  const PackageBuildLaunch* launch = nullptr;  ///< required
  std::string store;                           ///< argument of store::Open
  CloudOptions cloud;                          ///< to access it from a pod; contains no secret
  ClusterProfile cluster;  ///< resolved: `name_space` and `runner_image` are not empty
  bool restricted = false;
  /// Identifies the client that starts the build. Not part of the Job's name.
  std::string client_id = {};
};

/// Annotation with the client's ID.
inline constexpr std::string_view kStartedByAnnotation = "kinetic.dev/started-by";

/// Maximum duration, including the wait for a node.
inline constexpr std::chrono::hours kPackageBuildDeadline{2};
/// Exit code of a build that reported why it failed, and would fail again.
inline constexpr int kPermanentBuildFailure = 1;

/// Returns the Job. Its pod runs the jobs' base image, into which an init container copies the
/// runner. Equal requests give equal bytes. Requests that differ only in their client IDs have the
/// same name, "kinetic-packages-" with twelve digits, so that clients find each other's builds. Of
/// the job's pod fields, only `imagePullSecrets`, `tolerations` and `priorityClassName` apply.
/// Contains no credentials of package indexes.
///
/// @errors  kInternal: the cloud options contain credentials.
/// @source  docs/reference/kubernetes.md, "Package builds in the cluster"
Result<Value> MakePackageBuildJob(const PackageBuildManifestRequest& request);

/// Returns the Secret with credentials of package indexes. The Job waits for it and owns it. It is
/// immutable. Each Job has its own, because kubelets cache Secrets by name.
///
/// @param created_job  as returned by the server, with its UID.
Value MakePackageBuildSecret(const Value& created_job, const PackageBuildLaunch& launch);

/// Returns the selector of a Job's pods.
///
/// @param uid  of the Job, because an earlier Job may have had the same name.
std::string PodSelector(std::string_view uid);

/// Implements PackageBuilder::BuildPackages. Clients with equal requests use the same Job name: a
/// client follows the existing Job, and replaces one that has ended or is being deleted. The Job is
/// deleted by each client that sees its end, and by the client that created it if that is stopped.
/// The Secret is deleted with it. If the creating client is killed, the Job continues and stores
/// packages for later clients.
Status BuildPackagesInPod(const ClusterClients& clients, const PackageBuildManifestRequest& request,
                          Observer& observer, std::stop_token stop);

}  // namespace kinetic::backend
