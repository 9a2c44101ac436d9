#include "record/names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic {
namespace {

using Row = std::pair<Cause, std::string_view>;

constexpr std::array kCauses = {
    Row{Cause::kSucceeded, "succeeded"},
    Row{Cause::kRunning, "running"},
    Row{Cause::kStarting, "starting"},
    Row{Cause::kCollecting, "collecting"},
    Row{Cause::kJobsAhead, "jobs_ahead"},
    Row{Cause::kQueue, "queue"},
    Row{Cause::kQueueAbsent, "queue_absent"},
    Row{Cause::kSuspended, "suspended"},
    Row{Cause::kSchedulingGated, "scheduling_gated"},
    Row{Cause::kRetrying, "retrying"},
    Row{Cause::kStoreAway, "store_away"},
    Row{Cause::kElsewhere, "elsewhere"},
    Row{Cause::kNothingSeen, "nothing_seen"},
    Row{Cause::kInsufficient, "insufficient"},
    Row{Cause::kTaint, "taint"},
    Row{Cause::kNoMatchingNode, "no_matching_node"},
    Row{Cause::kNoSuchPool, "no_such_pool"},
    Row{Cause::kUnschedulable, "unschedulable"},
    Row{Cause::kScalingUp, "scaling_up"},
    Row{Cause::kCannotScaleUp, "cannot_scale_up"},
    Row{Cause::kScaleUpBackoff, "scale_up_backoff"},
    Row{Cause::kCloudQuota, "cloud_quota"},
    Row{Cause::kStockout, "stockout"},
    Row{Cause::kAddressesExhausted, "addresses_exhausted"},
    Row{Cause::kQuota, "quota"},
    Row{Cause::kServiceAccountAbsent, "service_account_absent"},
    Row{Cause::kPodSecurity, "pod_security"},
    Row{Cause::kAdmission, "admission"},
    Row{Cause::kNamespaceEnding, "namespace_ending"},
    Row{Cause::kPodRefused, "pod_refused"},
    Row{Cause::kPulling, "pulling"},
    Row{Cause::kImageAbsent, "image_absent"},
    Row{Cause::kImageForbidden, "image_forbidden"},
    Row{Cause::kImageName, "image_name"},
    Row{Cause::kImageArchitecture, "image_architecture"},
    Row{Cause::kRegistryAway, "registry_away"},
    Row{Cause::kImagePull, "image_pull"},
    Row{Cause::kSecretAbsent, "secret_absent"},
    Row{Cause::kVolume, "volume"},
    Row{Cause::kSandbox, "sandbox"},
    Row{Cause::kContainerConfig, "container_config"},
    Row{Cause::kCannotRun, "cannot_run"},
    Row{Cause::kCrashLoop, "crash_loop"},
    Row{Cause::kNodeNotReady, "node_not_ready"},
    Row{Cause::kNodeLost, "node_lost"},
    Row{Cause::kProgram, "program"},
    Row{Cause::kException, "exception"},
    Row{Cause::kBeforeUserCode, "before_user_code"},
    Row{Cause::kOutOfMemory, "out_of_memory"},
    Row{Cause::kEvictedMemory, "evicted_memory"},
    Row{Cause::kEvictedDisk, "evicted_disk"},
    Row{Cause::kEvicted, "evicted"},
    Row{Cause::kPreempted, "preempted"},
    Row{Cause::kDrained, "drained"},
    Row{Cause::kNodeShutDown, "node_shut_down"},
    Row{Cause::kPodDeleted, "pod_deleted"},
    Row{Cause::kTooLate, "too_late"},
    Row{Cause::kTimeLimit, "time_limit"},
    Row{Cause::kBackoffLimit, "backoff_limit"},
    Row{Cause::kCancelled, "cancelled"},
    Row{Cause::kJobDeleted, "job_deleted"},
    Row{Cause::kLost, "lost"},
};

}  // namespace

std::string_view Name(Cause cause) {
  const auto found = std::ranges::find(kCauses, cause, &Row::first);
  return found == kCauses.end() ? "unknown" : found->second;
}

std::optional<Cause> record::ParseCause(std::string_view name) {
  const auto* const found = std::ranges::find(kCauses, name, &Row::second);
  return found == kCauses.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace kinetic
