#include "backend/kubernetes/diagnose/cause.h"
#include "base/strings.h"

#include <algorithm>
#include <array>
#include <string>

namespace kinetic::backend {
namespace {

/// The first match counts, so specific patterns come before general ones.
///
/// @source  kubernetes 1.34: pkg/kubelet/events, pkg/kubelet/images, pkg/kubelet/eviction,
///          pkg/scheduler/framework/plugins, pkg/controller/{job,podgc,tainteviction},
///          plugin/pkg/admission; cluster-autoscaler: core/scaleup, and GKE's own event
///          FailedScaleUp; Kueue 0.19: pkg/workload, pkg/scheduler/flavorassigner
constexpr std::array kPatterns = {
    Pattern{Sign::kJobCondition, "DeadlineExceeded", "", Cause::kTimeLimit},
    Pattern{Sign::kJobCondition, "BackoffLimitExceeded", "", Cause::kBackoffLimit},
    Pattern{Sign::kJobCondition, "MaxFailedIndexesExceeded", "", Cause::kBackoffLimit},
    Pattern{Sign::kJobCondition, "FailedIndexes", "", Cause::kBackoffLimit},
    Pattern{Sign::kJobCondition, "PodFailurePolicy", "", Cause::kProgram},

    Pattern{Sign::kPodStatus, "Evicted", "low on resource: memory", Cause::kEvictedMemory},
    Pattern{Sign::kPodStatus, "Evicted", "[memorypressure]", Cause::kEvictedMemory},
    Pattern{Sign::kPodStatus, "Evicted", "ephemeral", Cause::kEvictedDisk},
    Pattern{Sign::kPodStatus, "Evicted", "emptydir volume", Cause::kEvictedDisk},
    Pattern{Sign::kPodStatus, "Evicted", "inodes", Cause::kEvictedDisk},
    Pattern{Sign::kPodStatus, "Evicted", "[diskpressure]", Cause::kEvictedDisk},
    Pattern{Sign::kPodStatus, "Evicted", "", Cause::kEvicted},
    Pattern{Sign::kPodStatus, "DeadlineExceeded", "", Cause::kTimeLimit},
    Pattern{Sign::kPodStatus, "Preempting", "", Cause::kPreempted},
    Pattern{Sign::kPodStatus, "NodeLost", "", Cause::kNodeLost},
    Pattern{Sign::kPodStatus, "Terminated", "", Cause::kNodeShutDown},
    Pattern{Sign::kPodStatus, "Shutdown", "", Cause::kNodeShutDown},
    Pattern{Sign::kPodStatus, "NodeShutdown", "", Cause::kNodeShutDown},
    Pattern{Sign::kPodStatus, "NodeAffinity", "", Cause::kNoMatchingNode},
    Pattern{Sign::kPodStatus, "UnexpectedAdmissionError", "", Cause::kInsufficient},
    Pattern{Sign::kPodStatus, "", "predicate noderesourcesfit", Cause::kInsufficient},
    Pattern{Sign::kPodStatus, "", "node didn't have enough resource", Cause::kInsufficient},

    Pattern{Sign::kDisruption, "PreemptionByScheduler", "", Cause::kPreempted},
    Pattern{Sign::kDisruption, "DeletionByTaintManager", "", Cause::kNodeLost},
    Pattern{Sign::kDisruption, "DeletionByPodGC", "", Cause::kNodeLost},
    Pattern{Sign::kDisruption, "EvictionByEvictionAPI", "", Cause::kDrained},
    Pattern{Sign::kDisruption, "TerminationByKubelet", "preempted", Cause::kPreempted},
    Pattern{Sign::kDisruption, "TerminationByKubelet", "low on resource: memory",
            Cause::kEvictedMemory},
    Pattern{Sign::kDisruption, "TerminationByKubelet", "ephemeral", Cause::kEvictedDisk},
    Pattern{Sign::kDisruption, "TerminationByKubelet", "inodes", Cause::kEvictedDisk},
    Pattern{Sign::kDisruption, "TerminationByKubelet", "shutdown", Cause::kNodeShutDown},
    Pattern{Sign::kDisruption, "", "", Cause::kEvicted},

    Pattern{Sign::kTerminated, "OOMKilled", "", Cause::kOutOfMemory},
    Pattern{Sign::kTerminated, "", "exec format error", Cause::kImageArchitecture},
    Pattern{Sign::kTerminated, "ContainerCannotRun", "", Cause::kCannotRun},
    Pattern{Sign::kTerminated, "StartError", "", Cause::kCannotRun},
    Pattern{Sign::kTerminated, "ContainerStatusUnknown", "", Cause::kNodeLost},
    Pattern{Sign::kTerminated, "Completed", "", Cause::kSucceeded},
    Pattern{Sign::kTerminated, "Error", "", Cause::kProgram},

    Pattern{Sign::kWaiting, "InvalidImageName", "", Cause::kImageName},
    Pattern{Sign::kWaiting, "ErrImageNeverPull", "", Cause::kImageAbsent},
    Pattern{Sign::kWaiting, "RegistryUnavailable", "", Cause::kRegistryAway},
    Pattern{Sign::kWaiting, "SignatureValidationFailed", "", Cause::kImagePull},
    Pattern{Sign::kWaiting, "ImageInspectError", "", Cause::kImagePull},
    Pattern{Sign::kWaiting, "ErrImagePull", "no match for platform", Cause::kImageArchitecture},
    Pattern{Sign::kWaiting, "ErrImagePull", "401 unauthorized", Cause::kImageForbidden},
    Pattern{Sign::kWaiting, "ErrImagePull", "403 forbidden", Cause::kImageForbidden},
    Pattern{Sign::kWaiting, "ErrImagePull", "pull access denied", Cause::kImageForbidden},
    Pattern{Sign::kWaiting, "ErrImagePull", "insufficient_scope", Cause::kImageForbidden},
    Pattern{Sign::kWaiting, "ErrImagePull", "authorization failed", Cause::kImageForbidden},
    Pattern{Sign::kWaiting, "ErrImagePull", "no basic auth credentials", Cause::kImageForbidden},
    Pattern{Sign::kWaiting, "ErrImagePull", "denied:", Cause::kImageForbidden},
    Pattern{Sign::kWaiting, "ErrImagePull", "permission", Cause::kImageForbidden},
    Pattern{Sign::kWaiting, "ErrImagePull", "no such host", Cause::kRegistryAway},
    Pattern{Sign::kWaiting, "ErrImagePull", "connection refused", Cause::kRegistryAway},
    Pattern{Sign::kWaiting, "ErrImagePull", "i/o timeout", Cause::kRegistryAway},
    Pattern{Sign::kWaiting, "ErrImagePull", "deadline exceeded", Cause::kRegistryAway},
    Pattern{Sign::kWaiting, "ErrImagePull", "tls:", Cause::kRegistryAway},
    Pattern{Sign::kWaiting, "ErrImagePull", "x509:", Cause::kRegistryAway},
    Pattern{Sign::kWaiting, "ErrImagePull", "server gave http response", Cause::kRegistryAway},
    Pattern{Sign::kWaiting, "ErrImagePull", "toomanyrequests", Cause::kRegistryAway},
    Pattern{Sign::kWaiting, "ErrImagePull", "503 service unavailable", Cause::kRegistryAway},
    Pattern{Sign::kWaiting, "ErrImagePull", "not found", Cause::kImageAbsent},
    Pattern{Sign::kWaiting, "ErrImagePull", "manifest unknown", Cause::kImageAbsent},
    Pattern{Sign::kWaiting, "ErrImagePull", "name unknown", Cause::kImageAbsent},
    Pattern{Sign::kWaiting, "ErrImagePull", "no space left", Cause::kEvictedDisk},
    Pattern{Sign::kWaiting, "ErrImagePull", "", Cause::kImagePull},
    Pattern{Sign::kWaiting, "CreateContainerConfigError", "secret", Cause::kSecretAbsent},
    Pattern{Sign::kWaiting, "CreateContainerConfigError", "configmap", Cause::kSecretAbsent},
    Pattern{Sign::kWaiting, "CreateContainerConfigError", "", Cause::kContainerConfig},
    Pattern{Sign::kWaiting, "", "exec format error", Cause::kImageArchitecture},
    Pattern{Sign::kWaiting, "CreateContainerError", "", Cause::kCannotRun},
    Pattern{Sign::kWaiting, "RunContainerError", "", Cause::kCannotRun},
    Pattern{Sign::kWaiting, "StartError", "", Cause::kCannotRun},
    Pattern{Sign::kWaiting, "CrashLoopBackOff", "", Cause::kCrashLoop},
    Pattern{Sign::kWaiting, "PostStartHookError", "", Cause::kCrashLoop},

    Pattern{Sign::kPodEvent, "FailedMount", "secret", Cause::kSecretAbsent},
    Pattern{Sign::kPodEvent, "FailedMount", "configmap", Cause::kSecretAbsent},
    Pattern{Sign::kPodEvent, "FailedMount", "", Cause::kVolume},
    Pattern{Sign::kPodEvent, "FailedAttachVolume", "", Cause::kVolume},
    Pattern{Sign::kPodEvent, "FailedMapVolume", "", Cause::kVolume},
    Pattern{Sign::kPodEvent, "FailedCreatePodSandBox", "", Cause::kSandbox},
    Pattern{Sign::kPodEvent, "FailedCreatePodContainer", "", Cause::kSandbox},
    Pattern{Sign::kPodEvent, "NetworkNotReady", "", Cause::kSandbox},
    Pattern{Sign::kPodEvent, "FailedPrepareDynamicResources", "", Cause::kInsufficient},
    Pattern{Sign::kPodEvent, "Pulling", "", Cause::kPulling},

    Pattern{Sign::kScheduler, "", "insufficient ", Cause::kInsufficient},
    Pattern{Sign::kScheduler, "", "too many pods", Cause::kInsufficient},
    Pattern{Sign::kScheduler, "", "node affinity/selector", Cause::kNoMatchingNode},
    Pattern{Sign::kScheduler, "", "requested node name", Cause::kNoMatchingNode},
    Pattern{Sign::kScheduler, "", "taint", Cause::kTaint},
    Pattern{Sign::kScheduler, "", "were unschedulable", Cause::kTaint},
    Pattern{Sign::kScheduler, "", "persistentvolume", Cause::kVolume},
    Pattern{Sign::kScheduler, "", "volume", Cause::kVolume},
    Pattern{Sign::kScheduler, "", "pvc(s)", Cause::kVolume},

    Pattern{Sign::kAutoscaler, "TriggeredScaleUp", "", Cause::kScalingUp},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "gce out of resources", Cause::kStockout},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "resource_pool_exhausted", Cause::kStockout},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "resource pool exhausted", Cause::kStockout},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "gce_stockout", Cause::kStockout},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "enough resources available", Cause::kStockout},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "currently unavailable", Cause::kStockout},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "capacity", Cause::kStockout},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "resource is exhausted", Cause::kStockout},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "quota", Cause::kCloudQuota},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "ip space exhausted", Cause::kAddressesExhausted},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "ip_space_exhausted", Cause::kAddressesExhausted},
    Pattern{Sign::kAutoscaler, "FailedScaleUp", "", Cause::kCannotScaleUp},
    Pattern{Sign::kAutoscaler, "NotTriggerScaleUp", "in backoff", Cause::kScaleUpBackoff},
    Pattern{Sign::kAutoscaler, "NotTriggerScaleUp", "limit reached", Cause::kCannotScaleUp},
    Pattern{Sign::kAutoscaler, "NotTriggerScaleUp", "size reached", Cause::kCannotScaleUp},
    Pattern{Sign::kAutoscaler, "NotTriggerScaleUp", "", Cause::kCannotScaleUp},

    Pattern{Sign::kCreation, "", "exceeded quota", Cause::kQuota},
    Pattern{Sign::kCreation, "", "failed quota", Cause::kQuota},
    Pattern{Sign::kCreation, "", "looking up service account", Cause::kServiceAccountAbsent},
    Pattern{Sign::kCreation, "", "violates podsecurity", Cause::kPodSecurity},
    Pattern{Sign::kCreation, "", "is being terminated", Cause::kNamespaceEnding},
    Pattern{Sign::kCreation, "", "admission webhook", Cause::kAdmission},
    Pattern{Sign::kCreation, "", "failed calling webhook", Cause::kAdmission},
    Pattern{Sign::kCreation, "", "validatingadmissionpolicy", Cause::kAdmission},
    Pattern{Sign::kCreation, "", "is forbidden", Cause::kAdmission},
    Pattern{Sign::kCreation, "", "", Cause::kPodRefused},

    Pattern{Sign::kQueue, "", "doesn't exist", Cause::kQueueAbsent},
    Pattern{Sign::kQueue, "", "does not exist", Cause::kQueueAbsent},
    Pattern{Sign::kQueue, "", "not found", Cause::kQueueAbsent},
    Pattern{Sign::kQueue, "", "", Cause::kQueue},
};

}  // namespace

std::span<const Pattern> Patterns() { return kPatterns; }

std::optional<Cause> MatchCause(Sign sign, std::string_view reason, std::string_view text) {
  const std::string lower = ToLower(text);
  const auto* const found = std::ranges::find_if(kPatterns, [&](const Pattern& pattern) {
    return pattern.sign == sign && (pattern.reason.empty() || pattern.reason == reason) &&
           (pattern.text.empty() || lower.find(pattern.text) != std::string::npos);
  });
  return found == kPatterns.end() ? std::nullopt : std::optional(found->cause);
}

}  // namespace kinetic::backend
