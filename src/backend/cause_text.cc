#include "backend/cause_text.h"

#include <algorithm>
#include <array>

namespace kinetic::backend {
namespace {

constexpr std::array kTexts = {
    CauseText{Cause::kSucceeded, Phase::kCollect, "succeeded", "", true},
    CauseText{Cause::kRunning, Phase::kRun, "the program is running", "", false},
    CauseText{Cause::kStarting, Phase::kStart, "the containers are starting", "", false},
    CauseText{Cause::kCollecting, Phase::kCollect,
              "the program has ended; its results are being stored", "", false},
    CauseText{
        Cause::kJobsAhead, Phase::kQueue, "waiting for other jobs on this machine",
        "wait, or end one with 'kinetic cancel'; 'concurrency' in the profile sets how many run "
        "at once",
        false},
    CauseText{Cause::kStoreUnavailable, Phase::kRun, "waiting for the store, which is unavailable",
              "check the store's disk or network; the job continues when the store is available",
              false},
    CauseText{Cause::kElsewhere, Phase::kRun, "the job runs on another target",
              "run the command on that machine, or select the job's profile with --target", false},
    CauseText{Cause::kQueue, Phase::kQueue, "waiting for admission by Kueue",
              "wait, request more quota from your administrator, or set another 'queue:'", false},
    CauseText{Cause::kQueueNotFound, Phase::kQueue, "the Kueue queue does not exist or is stopped",
              "set 'queue:' to a LocalQueue in the job's namespace", false},
    CauseText{Cause::kSuspended, Phase::kQueue, "the Job is suspended", "", false},
    CauseText{Cause::kSchedulingGated, Phase::kQueue, "the pod has scheduling gates",
              "wait for the controller that set the gates; if there is none, cancel the job and "
              "run it again",
              false},
    CauseText{Cause::kRetrying, Phase::kQueue, "an attempt has ended; the next one has not started",
              "", false},
    CauseText{Cause::kNoStatus, Phase::kSubmit, "no status from the cluster yet", "", false},
    CauseText{Cause::kInsufficient, Phase::kProvision, "no node has enough free resources",
              "wait for other jobs to end, request less in 'resources:', or add nodes", false},
    CauseText{
        Cause::kTaint, Phase::kProvision, "no node accepts the pod because of taints",
        "tolerate the taint in 'pod:', remove it from the node, or wait until the node is ready",
        false},
    CauseText{Cause::kNoMatchingNode, Phase::kProvision, "no node matches the pod's selectors",
              "add a node that matches, or change 'accelerator:' or the selectors in 'pod:'",
              false},
    CauseText{Cause::kNoSuchPool, Phase::kProvision, "no node has the requested accelerator",
              "add a node pool with this accelerator, or request one that the cluster has", false},
    CauseText{Cause::kUnschedulable, Phase::kProvision, "the scheduler found no node",
              "see the scheduler's message; the job's own constraints are in 'pod:'", false},
    CauseText{Cause::kScalingUp, Phase::kProvision, "a node is being created", "", false},
    CauseText{Cause::kCannotScaleUp, Phase::kProvision,
              "no node has enough free resources, and the autoscaler cannot add one",
              "increase the node pool's maximum size, or add a matching pool", false},
    CauseText{Cause::kScaleUpBackoff, Phase::kProvision,
              "the autoscaler failed to create a node and will retry",
              "wait a few minutes; another zone or accelerator may be available sooner", false},
    CauseText{
        Cause::kCloudQuota, Phase::kProvision, "the project's quota does not allow another node",
        "request more quota in the Cloud console, or use another accelerator or region", false},
    CauseText{Cause::kStockout, Phase::kProvision, "the zone has no capacity for this machine type",
              "wait, or use another zone, 'spot: true', a reservation, or a list of accelerators",
              false},
    CauseText{
        Cause::kReservation, Phase::kProvision, "the node pool's reservation cannot be used",
        "check that it exists in the pool's zone, fits its machine type and has capacity left",
        false},
    CauseText{
        Cause::kPoolConfiguration, Phase::kProvision, "the node pool's configuration is invalid",
        "correct its TPU topology, machine type or service account; the message says which", false},
    CauseText{Cause::kNodeTimeout, Phase::kProvision, "a new node did not join the cluster in time",
              "wait; the autoscaler retries automatically; see the node pool's events in the Cloud "
              "console",
              false},
    CauseText{Cause::kAddressesExhausted, Phase::kProvision,
              "the cluster's network has no IP addresses for another node",
              "enlarge the subnet or its pod range, or remove nodes", false},
    CauseText{Cause::kQuota, Phase::kSubmit, "the namespace's quota has no room for the pod",
              "wait for other jobs to end, request less in 'resources:', or increase the quota",
              false},
    CauseText{Cause::kServiceAccountNotFound, Phase::kSubmit, "the service account does not exist",
              "create it, or set 'service_account' in the profile", false},
    CauseText{Cause::kPodSecurity, Phase::kSubmit,
              "the namespace's Pod Security level rejects the pod",
              "remove the fields in the message from 'pod:', or use another namespace", false},
    CauseText{Cause::kAdmission, Phase::kSubmit, "an admission controller rejects the pod",
              "see the message, or ask your cluster administrator about the policy", false},
    CauseText{Cause::kNamespaceEnding, Phase::kSubmit, "the namespace is being deleted",
              "run the job in another namespace", true},
    CauseText{Cause::kPodRefused, Phase::kSubmit, "the pod cannot be created",
              "see the message; the cluster retries", false},
    CauseText{Cause::kPulling, Phase::kPull, "pulling the image", "", false},
    CauseText{Cause::kImageNotFound, Phase::kPull, "the image does not exist",
              "check the name and tag in 'image:', or push the image; the node retries", false},
    CauseText{Cause::kImageForbidden, Phase::kPull, "no permission to pull the image",
              "grant the nodes' service account read access, or set 'pod: {spec: "
              "{imagePullSecrets: …}}'; some registries also report this for a missing image",
              false},
    CauseText{Cause::kImageName, Phase::kPull, "the image name is invalid",
              "correct 'image:': registry/repository:tag, in lower case", true},
    CauseText{Cause::kImageArchitecture, Phase::kStart,
              "the image is for a different architecture than the node",
              "build the image for linux/amd64", true},
    CauseText{Cause::kRegistryUnavailable, Phase::kPull, "the image's registry is unavailable",
              "check the registry's name and the nodes' network; the node retries", false},
    CauseText{Cause::kImagePull, Phase::kPull, "the image cannot be pulled",
              "see the message; the node retries", false},
    CauseText{
        Cause::kSecretNotFound, Phase::kStart, "a Secret or ConfigMap of the pod does not exist",
        "create it in the job's namespace, or remove it from 'pod:'; the node retries", false},
    CauseText{Cause::kVolume, Phase::kStart, "a volume cannot be mounted",
              "check the claim and the volume in the message", false},
    CauseText{Cause::kSandbox, Phase::kStart, "the node cannot create the pod's sandbox or network",
              "the node retries; if this persists, check its network plugin", false},
    CauseText{Cause::kContainerConfig, Phase::kStart, "the container configuration is invalid",
              "see the message; the job's own fields are in 'pod:'", false},
    CauseText{Cause::kCannotRun, Phase::kStart, "the container's program cannot be started",
              "see the message for what the image lacks or does not permit", false},
    CauseText{Cause::kCrashLoop, Phase::kStart, "kinetic's collector exits repeatedly",
              "see 'kubectl logs POD -c collector'; check that the runner image matches this "
              "version of kinetic and that the pod can reach the store",
              false},
    CauseText{Cause::kNodeNotReady, Phase::kStart, "the node is not ready",
              "wait; the job continues when the node is ready, or the cluster evicts its pod",
              false},
    CauseText{Cause::kNodeLost, Phase::kRun, "the node is lost",
              "run the job again, or set 'retry: {attempts: …}'", false},
    CauseText{Cause::kProgram, Phase::kRun, "the program failed", "see 'kinetic logs ID'", true},
    CauseText{Cause::kException, Phase::kRun, "the function raised an exception",
              "see the traceback with 'kinetic result ID'", true},
    CauseText{Cause::kBeforeUserCode, Phase::kStart, "failed before any user code ran",
              "see 'kinetic logs ID' and the evidence", true},
    CauseText{
        Cause::kNotSerializable, Phase::kCollect,
        "the function returned an object that kinetic cannot store",
        "return numbers, strings, lists, dicts, dataclasses or arrays, and save other objects "
        "as files in the output folder",
        true},
    CauseText{Cause::kNotStored, Phase::kCollect, "kinetic could not store what the job produced",
              "fix the problem in the message, then run the job again", true},
    CauseText{Cause::kOutOfMemory, Phase::kRun, "killed: exceeded its memory limit",
              "increase 'resources: {memory: …}' or --memory", true},
    CauseText{Cause::kEvictedMemory, Phase::kRun, "evicted: the node ran out of memory",
              "set 'resources: {memory: …}' to the memory that the job needs", false},
    CauseText{Cause::kEvictedDisk, Phase::kRun,
              "evicted: the node ran out of disk, or the job exceeded its limit",
              "increase 'resources: {disk: …}', or write less data", false},
    CauseText{Cause::kEvicted, Phase::kRun, "evicted from the node",
              "run the job again, or set 'retry: {attempts: …}'", false},
    CauseText{Cause::kPreempted, Phase::kRun, "preempted by a pod with higher priority",
              "set 'retry: {attempts: …}' to resume from the checkpoint, or a higher "
              "priorityClassName in 'pod:'",
              false},
    CauseText{Cause::kDrained, Phase::kRun,
              "evicted: the node was drained, or a client requested it",
              "set 'retry: {attempts: …}' to resume from the checkpoint", false},
    CauseText{
        Cause::kNodeShutDown, Phase::kRun,
        "the node was shut down, which can happen to spot nodes at any time",
        "set 'retry: {attempts: …}' to resume from the checkpoint, or run without 'spot: true'",
        false},
    CauseText{Cause::kPodDeleted, Phase::kRun, "the pod was deleted by another client", "", false},
    CauseText{
        Cause::kStartTimeout, Phase::kQueue, "did not start within timeouts.pending",
        "increase 'timeouts: {pending: …}', or request an accelerator that is available sooner",
        true},
    CauseText{Cause::kTimeLimit, Phase::kRun, "exceeded its time limit",
              "increase 'timeouts: {run: …}' or --timeout", true},
    CauseText{Cause::kBackoffLimit, Phase::kRun, "the pods failed more often than allowed",
              "see 'kinetic logs ID'; 'retry: {attempts: …}' allows more", true},
    CauseText{Cause::kCancelled, Phase::kRun, "cancelled", "", true},
    CauseText{Cause::kJobDeleted, Phase::kRun, "the Job was deleted by another client",
              "run the job again; the stored part of its log is kept", true},
    CauseText{Cause::kLost, Phase::kRun, "no trace of the job is left on the cluster",
              "run the job again; the stored part of its log is kept", true},
};

}  // namespace

std::span<const CauseText> CauseTexts() { return kTexts; }

const CauseText& TextOf(Cause cause) {
  const auto* const found = std::ranges::find(kTexts, cause, &CauseText::cause);
  return found == kTexts.end() ? TextOf(Cause::kNoStatus) : *found;
}

}  // namespace kinetic::backend
