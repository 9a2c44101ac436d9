#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/time/clock.h"
#include "kube/resource.h"
#include "provision/shutdown/policy.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::provision {

/// The namespace of the pods that delete the cluster. Users of the cluster need no access to it.
inline constexpr std::string_view kShutdownNamespace = "kinetic-shutdown";
/// The name of the objects in it except the service account, and of the cluster role.
inline constexpr std::string_view kShutdownObjects = "kinetic-shutdown";
/// RFC 3339: when the cluster last had a job.
inline constexpr std::string_view kLastUseAnnotation = "kinetic.dev/last-use";
/// What the last pod found out about its own permissions: "ok", or an error.
inline constexpr std::string_view kCheckAnnotation = "kinetic.dev/last-check";
inline constexpr std::string_view kCheckPassed = "ok";
/// The environment variable with the policy, as JSON.
inline constexpr std::string_view kShutdownVariable = "KINETIC_SHUTDOWN";
/// How often a pod checks whether the cluster is to be deleted.
inline constexpr std::chrono::minutes kShutdownInterval{5};

/// Returns the name of the service account, which contains the cluster's name: "kinetic-shutdown".
std::string ShutdownAccount(const std::string& cluster);

/// An object of the Kubernetes API.
struct ClusterObject {
  kube::Resource resource;
  std::string name_space;  ///< empty: cluster-scoped
  Value object;
};

/// Returns the objects in the order of creation: a namespace, a service account, a cluster role that
/// can list jobs and events and change only the CronJob, its binding, and the CronJob that checks
/// the policy.
///
/// @param runner_image  "REGISTRY/runner:TAG@DIGEST".
std::vector<ClusterObject> ShutdownObjects(const ShutdownPolicy& policy,
                                           const std::string& runner_image);

/// Returns the policy of a CronJob.
///
/// @errors  kDataLoss: it has none.
Result<ShutdownPolicy> PolicyOf(const Value& cron_job);

/// Returns whether the pods of a CronJob can delete the cluster, as far as they found out.
///
/// @errors  kPermissionDenied: what the last pod was refused · kFailedPrecondition: no pod has
///          checked it, or none has succeeded lately.
Status CheckOf(const Value& cron_job);

/// Returns a Job that runs a pod of the CronJob now.
Value CheckJob(const Value& cron_job, const std::string& name);

/// Returns the merge patch that sets an annotation.
Value AnnotationPatch(std::string_view key, Value value);

}  // namespace kinetic::provision
