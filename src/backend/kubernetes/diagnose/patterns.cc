#include "backend/kubernetes/diagnose/patterns.h"

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
    Pattern{SignalSource::kJobCondition, "DeadlineExceeded", "", Cause::kTimeLimit},
    Pattern{SignalSource::kJobCondition, "BackoffLimitExceeded", "", Cause::kBackoffLimit},
    Pattern{SignalSource::kJobCondition, "MaxFailedIndexesExceeded", "", Cause::kBackoffLimit},
    Pattern{SignalSource::kJobCondition, "FailedIndexes", "", Cause::kBackoffLimit},
    Pattern{SignalSource::kJobCondition, "PodFailurePolicy", "", Cause::kProgram},

    Pattern{SignalSource::kPodStatus, "Evicted", "low on resource: memory", Cause::kEvictedMemory},
    Pattern{SignalSource::kPodStatus, "Evicted", "[memorypressure]", Cause::kEvictedMemory},
    Pattern{SignalSource::kPodStatus, "Evicted", "ephemeral", Cause::kEvictedDisk},
    Pattern{SignalSource::kPodStatus, "Evicted", "emptydir volume", Cause::kEvictedDisk},
    Pattern{SignalSource::kPodStatus, "Evicted", "inodes", Cause::kEvictedDisk},
    Pattern{SignalSource::kPodStatus, "Evicted", "[diskpressure]", Cause::kEvictedDisk},
    Pattern{SignalSource::kPodStatus, "Evicted", "", Cause::kEvicted},
    Pattern{SignalSource::kPodStatus, "DeadlineExceeded", "", Cause::kTimeLimit},
    Pattern{SignalSource::kPodStatus, "Preempting", "", Cause::kPreempted},
    Pattern{SignalSource::kPodStatus, "NodeLost", "", Cause::kNodeLost},
    Pattern{SignalSource::kPodStatus, "Terminated", "", Cause::kNodeShutDown},
    Pattern{SignalSource::kPodStatus, "Shutdown", "", Cause::kNodeShutDown},
    Pattern{SignalSource::kPodStatus, "NodeShutdown", "", Cause::kNodeShutDown},
    Pattern{SignalSource::kPodStatus, "NodeAffinity", "", Cause::kNoMatchingNode},
    Pattern{SignalSource::kPodStatus, "UnexpectedAdmissionError", "", Cause::kInsufficient},
    Pattern{SignalSource::kPodStatus, "", "predicate noderesourcesfit", Cause::kInsufficient},
    Pattern{SignalSource::kPodStatus, "", "node didn't have enough resource", Cause::kInsufficient},

    Pattern{SignalSource::kDisruption, "PreemptionByScheduler", "", Cause::kPreempted},
    Pattern{SignalSource::kDisruption, "DeletionByTaintManager", "", Cause::kNodeLost},
    Pattern{SignalSource::kDisruption, "DeletionByPodGC", "", Cause::kNodeLost},
    Pattern{SignalSource::kDisruption, "EvictionByEvictionAPI", "", Cause::kDrained},
    Pattern{SignalSource::kDisruption, "TerminationByKubelet", "preempted", Cause::kPreempted},
    Pattern{SignalSource::kDisruption, "TerminationByKubelet", "low on resource: memory",
            Cause::kEvictedMemory},
    Pattern{SignalSource::kDisruption, "TerminationByKubelet", "ephemeral", Cause::kEvictedDisk},
    Pattern{SignalSource::kDisruption, "TerminationByKubelet", "inodes", Cause::kEvictedDisk},
    Pattern{SignalSource::kDisruption, "TerminationByKubelet", "shutdown", Cause::kNodeShutDown},
    Pattern{SignalSource::kDisruption, "", "", Cause::kEvicted},

    Pattern{SignalSource::kTerminated, "OOMKilled", "", Cause::kOutOfMemory},
    Pattern{SignalSource::kTerminated, "", "exec format error", Cause::kImageArchitecture},
    Pattern{SignalSource::kTerminated, "ContainerCannotRun", "", Cause::kCannotRun},
    Pattern{SignalSource::kTerminated, "StartError", "", Cause::kCannotRun},
    Pattern{SignalSource::kTerminated, "ContainerStatusUnknown", "", Cause::kNodeLost},
    Pattern{SignalSource::kTerminated, "Completed", "", Cause::kSucceeded},
    Pattern{SignalSource::kTerminated, "Error", "", Cause::kProgram},

    Pattern{SignalSource::kWaiting, "InvalidImageName", "", Cause::kImageName},
    Pattern{SignalSource::kWaiting, "ErrImageNeverPull", "", Cause::kImageNotFound},
    Pattern{SignalSource::kWaiting, "RegistryUnavailable", "", Cause::kRegistryUnavailable},
    Pattern{SignalSource::kWaiting, "SignatureValidationFailed", "", Cause::kImagePull},
    Pattern{SignalSource::kWaiting, "ImageInspectError", "", Cause::kImagePull},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "no match for platform",
            Cause::kImageArchitecture},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "401 unauthorized", Cause::kImageForbidden},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "403 forbidden", Cause::kImageForbidden},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "pull access denied", Cause::kImageForbidden},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "insufficient_scope", Cause::kImageForbidden},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "authorization failed", Cause::kImageForbidden},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "no basic auth credentials",
            Cause::kImageForbidden},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "denied:", Cause::kImageForbidden},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "permission", Cause::kImageForbidden},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "no such host", Cause::kRegistryUnavailable},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "connection refused",
            Cause::kRegistryUnavailable},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "i/o timeout", Cause::kRegistryUnavailable},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "deadline exceeded",
            Cause::kRegistryUnavailable},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "tls:", Cause::kRegistryUnavailable},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "x509:", Cause::kRegistryUnavailable},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "server gave http response",
            Cause::kRegistryUnavailable},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "toomanyrequests", Cause::kRegistryUnavailable},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "503 service unavailable",
            Cause::kRegistryUnavailable},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "not found", Cause::kImageNotFound},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "manifest unknown", Cause::kImageNotFound},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "name unknown", Cause::kImageNotFound},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "no space left", Cause::kEvictedDisk},
    Pattern{SignalSource::kWaiting, "ErrImagePull", "", Cause::kImagePull},
    Pattern{SignalSource::kWaiting, "CreateContainerConfigError", "secret", Cause::kSecretNotFound},
    Pattern{SignalSource::kWaiting, "CreateContainerConfigError", "configmap",
            Cause::kSecretNotFound},
    Pattern{SignalSource::kWaiting, "CreateContainerConfigError", "", Cause::kContainerConfig},
    Pattern{SignalSource::kWaiting, "", "exec format error", Cause::kImageArchitecture},
    Pattern{SignalSource::kWaiting, "CreateContainerError", "", Cause::kCannotRun},
    Pattern{SignalSource::kWaiting, "RunContainerError", "", Cause::kCannotRun},
    Pattern{SignalSource::kWaiting, "StartError", "", Cause::kCannotRun},
    Pattern{SignalSource::kWaiting, "CrashLoopBackOff", "", Cause::kCrashLoop},
    Pattern{SignalSource::kWaiting, "PostStartHookError", "", Cause::kCrashLoop},

    Pattern{SignalSource::kPodEvent, "FailedMount", "secret", Cause::kSecretNotFound},
    Pattern{SignalSource::kPodEvent, "FailedMount", "configmap", Cause::kSecretNotFound},
    Pattern{SignalSource::kPodEvent, "FailedMount", "", Cause::kVolume},
    Pattern{SignalSource::kPodEvent, "FailedAttachVolume", "", Cause::kVolume},
    Pattern{SignalSource::kPodEvent, "FailedMapVolume", "", Cause::kVolume},
    Pattern{SignalSource::kPodEvent, "FailedCreatePodSandBox", "", Cause::kSandbox},
    Pattern{SignalSource::kPodEvent, "FailedCreatePodContainer", "", Cause::kSandbox},
    Pattern{SignalSource::kPodEvent, "NetworkNotReady", "", Cause::kSandbox},
    Pattern{SignalSource::kPodEvent, "FailedPrepareDynamicResources", "", Cause::kInsufficient},
    Pattern{SignalSource::kPodEvent, "Pulling", "", Cause::kPulling},

    Pattern{SignalSource::kScheduler, "", "insufficient ", Cause::kInsufficient},
    Pattern{SignalSource::kScheduler, "", "too many pods", Cause::kInsufficient},
    Pattern{SignalSource::kScheduler, "", "node affinity/selector", Cause::kNoMatchingNode},
    Pattern{SignalSource::kScheduler, "", "requested node name", Cause::kNoMatchingNode},
    Pattern{SignalSource::kScheduler, "", "taint", Cause::kTaint},
    Pattern{SignalSource::kScheduler, "", "were unschedulable", Cause::kTaint},
    Pattern{SignalSource::kScheduler, "", "persistentvolume", Cause::kVolume},
    Pattern{SignalSource::kScheduler, "", "volume", Cause::kVolume},
    Pattern{SignalSource::kScheduler, "", "pvc(s)", Cause::kVolume},

    Pattern{SignalSource::kAutoscaler, "TriggeredScaleUp", "", Cause::kScalingUp},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "reservation", Cause::kReservation},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "tpu topology", Cause::kPoolConfiguration},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "tpu config", Cause::kPoolConfiguration},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "service account",
            Cause::kPoolConfiguration},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "appear in time", Cause::kNodeTimeout},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "gce out of resources", Cause::kStockout},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "resource_pool_exhausted",
            Cause::kStockout},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "resource pool exhausted",
            Cause::kStockout},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "gce_stockout", Cause::kStockout},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "enough resources available",
            Cause::kStockout},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "currently unavailable", Cause::kStockout},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "capacity", Cause::kStockout},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "resource is exhausted", Cause::kStockout},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "quota", Cause::kCloudQuota},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "ip space exhausted",
            Cause::kAddressesExhausted},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "ip_space_exhausted",
            Cause::kAddressesExhausted},
    Pattern{SignalSource::kAutoscaler, "FailedScaleUp", "", Cause::kCannotScaleUp},
    Pattern{SignalSource::kAutoscaler, "NotTriggerScaleUp", "in backoff", Cause::kScaleUpBackoff},
    Pattern{SignalSource::kAutoscaler, "NotTriggerScaleUp", "limit reached", Cause::kCannotScaleUp},
    Pattern{SignalSource::kAutoscaler, "NotTriggerScaleUp", "size reached", Cause::kCannotScaleUp},
    Pattern{SignalSource::kAutoscaler, "NotTriggerScaleUp", "", Cause::kCannotScaleUp},

    Pattern{SignalSource::kCreation, "", "exceeded quota", Cause::kQuota},
    Pattern{SignalSource::kCreation, "", "failed quota", Cause::kQuota},
    Pattern{SignalSource::kCreation, "", "looking up service account",
            Cause::kServiceAccountNotFound},
    Pattern{SignalSource::kCreation, "", "violates podsecurity", Cause::kPodSecurity},
    Pattern{SignalSource::kCreation, "", "is being terminated", Cause::kNamespaceEnding},
    Pattern{SignalSource::kCreation, "", "admission webhook", Cause::kAdmission},
    Pattern{SignalSource::kCreation, "", "failed calling webhook", Cause::kAdmission},
    Pattern{SignalSource::kCreation, "", "validatingadmissionpolicy", Cause::kAdmission},
    Pattern{SignalSource::kCreation, "", "is forbidden", Cause::kAdmission},
    Pattern{SignalSource::kCreation, "", "", Cause::kPodRefused},

    Pattern{SignalSource::kQueue, "", "doesn't exist", Cause::kQueueNotFound},
    Pattern{SignalSource::kQueue, "", "does not exist", Cause::kQueueNotFound},
    Pattern{SignalSource::kQueue, "", "not found", Cause::kQueueNotFound},
    Pattern{SignalSource::kQueue, "", "", Cause::kQueue},
};

}  // namespace

std::span<const Pattern> Patterns() { return kPatterns; }

std::optional<Cause> MatchCause(SignalSource source, std::string_view reason,
                                std::string_view text) {
  const std::string lower = ToLower(text);
  const auto* const found = std::ranges::find_if(kPatterns, [&](const Pattern& pattern) {
    return pattern.source == source && (pattern.reason.empty() || pattern.reason == reason) &&
           (pattern.text.empty() || lower.find(pattern.text) != std::string::npos);
  });
  return found == kPatterns.end() ? std::nullopt : std::optional(found->cause);
}

}  // namespace kinetic::backend
