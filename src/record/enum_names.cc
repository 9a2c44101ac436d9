#include "record/json_fields.h"

#include <array>
#include <utility>

namespace kinetic::inline v0 {
namespace {

template <typename Enum, std::size_t kCount>
using Table = std::array<std::pair<Enum, std::string_view>, kCount>;

constexpr Table<JobState, 8> kStates = {{{JobState::kQueued, "queued"},
                                         {JobState::kPending, "pending"},
                                         {JobState::kRunning, "running"},
                                         {JobState::kSucceeded, "succeeded"},
                                         {JobState::kFailed, "failed"},
                                         {JobState::kCancelled, "cancelled"},
                                         {JobState::kPreempted, "preempted"},
                                         {JobState::kLost, "lost"}}};

constexpr Table<Phase, 10> kPhases = {{{Phase::kPackage, "package"},
                                       {Phase::kStage, "stage"},
                                       {Phase::kBuild, "build"},
                                       {Phase::kSubmit, "submit"},
                                       {Phase::kQueue, "queue"},
                                       {Phase::kProvision, "provision"},
                                       {Phase::kPull, "pull"},
                                       {Phase::kStart, "start"},
                                       {Phase::kRun, "run"},
                                       {Phase::kCollect, "collect"}}};

constexpr Table<ExitSource, 3> kSources = {{{ExitSource::kProgram, "program"},
                                            {ExitSource::kException, "exception"},
                                            {ExitSource::kKinetic, "kinetic"}}};

constexpr Table<Stream, 3> kStreams = {
    {{Stream::kStdout, "stdout"}, {Stream::kStderr, "stderr"}, {Stream::kSystem, "system"}}};

constexpr Table<Cause, 67> kCauses = {{
    {Cause::kSucceeded, "succeeded"},
    {Cause::kRunning, "running"},
    {Cause::kStarting, "starting"},
    {Cause::kCollecting, "collecting"},
    {Cause::kJobsAhead, "jobs_ahead"},
    {Cause::kQueue, "queue"},
    {Cause::kQueueNotFound, "queue_not_found"},
    {Cause::kSuspended, "suspended"},
    {Cause::kSchedulingGated, "scheduling_gated"},
    {Cause::kRetrying, "retrying"},
    {Cause::kStoreUnavailable, "store_unavailable"},
    {Cause::kElsewhere, "elsewhere"},
    {Cause::kNoStatus, "no_status"},
    {Cause::kInsufficient, "insufficient"},
    {Cause::kTaint, "taint"},
    {Cause::kNoMatchingNode, "no_matching_node"},
    {Cause::kNoSuchPool, "no_such_pool"},
    {Cause::kUnschedulable, "unschedulable"},
    {Cause::kScalingUp, "scaling_up"},
    {Cause::kCannotScaleUp, "cannot_scale_up"},
    {Cause::kScaleUpBackoff, "scale_up_backoff"},
    {Cause::kCloudQuota, "cloud_quota"},
    {Cause::kStockout, "stockout"},
    {Cause::kReservation, "reservation"},
    {Cause::kPoolConfiguration, "pool_configuration"},
    {Cause::kNodeTimeout, "node_timeout"},
    {Cause::kAddressesExhausted, "addresses_exhausted"},
    {Cause::kQuota, "quota"},
    {Cause::kServiceAccountNotFound, "service_account_not_found"},
    {Cause::kPodSecurity, "pod_security"},
    {Cause::kAdmission, "admission"},
    {Cause::kNamespaceEnding, "namespace_ending"},
    {Cause::kPodRefused, "pod_refused"},
    {Cause::kPulling, "pulling"},
    {Cause::kImageNotFound, "image_not_found"},
    {Cause::kImageForbidden, "image_forbidden"},
    {Cause::kImageName, "image_name"},
    {Cause::kImageArchitecture, "image_architecture"},
    {Cause::kRegistryUnavailable, "registry_unavailable"},
    {Cause::kImagePull, "image_pull"},
    {Cause::kSecretNotFound, "secret_not_found"},
    {Cause::kVolume, "volume"},
    {Cause::kSandbox, "sandbox"},
    {Cause::kContainerConfig, "container_config"},
    {Cause::kCannotRun, "cannot_run"},
    {Cause::kCrashLoop, "crash_loop"},
    {Cause::kNodeNotReady, "node_not_ready"},
    {Cause::kNodeLost, "node_lost"},
    {Cause::kProgram, "program"},
    {Cause::kException, "exception"},
    {Cause::kBeforeUserCode, "before_user_code"},
    {Cause::kNotSerializable, "not_serializable"},
    {Cause::kNotStored, "not_stored"},
    {Cause::kOutOfMemory, "out_of_memory"},
    {Cause::kEvictedMemory, "evicted_memory"},
    {Cause::kEvictedDisk, "evicted_disk"},
    {Cause::kEvicted, "evicted"},
    {Cause::kPreempted, "preempted"},
    {Cause::kDrained, "drained"},
    {Cause::kNodeShutDown, "node_shut_down"},
    {Cause::kPodDeleted, "pod_deleted"},
    {Cause::kStartTimeout, "start_timeout"},
    {Cause::kTimeLimit, "time_limit"},
    {Cause::kBackoffLimit, "backoff_limit"},
    {Cause::kCancelled, "cancelled"},
    {Cause::kJobDeleted, "job_deleted"},
    {Cause::kLost, "lost"},
}};

template <typename Enum, std::size_t kCount>
std::string_view NameIn(const Table<Enum, kCount>& table, Enum value) {
  for (const auto& [each, name] : table) {
    if (each == value) return name;
  }
  return "unknown";
}

template <typename Enum, std::size_t kCount>
std::optional<Enum> ParseIn(const Table<Enum, kCount>& table, std::string_view text) {
  for (const auto& [each, name] : table) {
    if (name == text) return each;
  }
  return std::nullopt;
}

}  // namespace

std::string_view Name(JobState state) { return NameIn(kStates, state); }
std::string_view Name(Phase phase) { return NameIn(kPhases, phase); }
std::string_view Name(Cause cause) { return NameIn(kCauses, cause); }

bool IsTerminal(JobState state) {
  return state != JobState::kQueued && state != JobState::kPending && state != JobState::kRunning;
}

}  // namespace kinetic::inline v0

namespace kinetic::record {

std::optional<JobState> ParseJobState(std::string_view name) { return ParseIn(kStates, name); }
std::optional<Phase> ParsePhase(std::string_view name) { return ParseIn(kPhases, name); }
std::optional<Cause> ParseCause(std::string_view name) { return ParseIn(kCauses, name); }
std::optional<ErrorCode> ParseErrorCode(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    if (Name(static_cast<ErrorCode>(i)) == name) return static_cast<ErrorCode>(i);
  }
  return std::nullopt;
}
std::string_view Name(ExitSource source) { return NameIn(kSources, source); }
std::optional<ExitSource> ParseExitSource(std::string_view name) { return ParseIn(kSources, name); }
std::string_view Name(Stream stream) { return NameIn(kStreams, stream); }

}  // namespace kinetic::record
