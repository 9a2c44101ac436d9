#include "target/kubernetes_cause.h"

#include <algorithm>
#include <array>

namespace kinetic::target {
namespace {

constexpr std::array kTexts = {
    CauseText{Cause::kSucceeded, Phase::kCollect, "it succeeded", "", true},
    CauseText{Cause::kRunning, Phase::kRun, "its program runs", "", false},
    CauseText{Cause::kStarting, Phase::kStart, "its containers are being started", "", false},
    CauseText{Cause::kCollecting, Phase::kCollect,
              "its program has ended; what it left is being stored", "", false},
    CauseText{Cause::kJobsAhead, Phase::kQueue, "it waits for other jobs of this machine",
              "'kinetic ps' shows them; a profile's 'concurrency' says how many run at once",
              false},
    CauseText{
        Cause::kStoreAway, Phase::kRun, "it waits for the store, which does not answer",
        "it goes on by itself when the store answers; check its disk, or the connection to it",
        false},
    CauseText{Cause::kElsewhere, Phase::kRun, "it runs elsewhere",
              "ask there, or use the profile it was submitted with (--target)", false},
    CauseText{Cause::kQueue, Phase::kQueue, "Kueue has not admitted it yet",
              "it begins when the queue has room; ask who runs the queue for more quota, or name "
              "another under 'queue:'",
              false},
    CauseText{Cause::kQueueAbsent, Phase::kQueue, "its Kueue queue does not exist or takes no jobs",
              "name a LocalQueue of this namespace under 'queue:'", false},
    CauseText{Cause::kSuspended, Phase::kQueue, "its Job is suspended", "", false},
    CauseText{Cause::kSchedulingGated, Phase::kQueue,
              "something holds its pod back from the scheduler",
              "whoever set the pod's scheduling gates takes them away; without a reason for them, "
              "cancel the job and run it again",
              false},
    CauseText{Cause::kRetrying, Phase::kQueue, "an attempt ended; the next one has not begun", "",
              false},
    CauseText{Cause::kNothingSeen, Phase::kSubmit, "the cluster has not said anything about it yet",
              "", false},
    CauseText{Cause::kInsufficient, Phase::kProvision, "no node has enough free",
              "wait until other work ends, ask for less under 'resources:', or add nodes", false},
    CauseText{Cause::kTaint, Phase::kProvision, "every node that would do keeps it off",
              "tolerate the taint under 'pod:', take it off the node, or wait until the node is "
              "ready again",
              false},
    CauseText{
        Cause::kNoMatchingNode, Phase::kProvision, "no node is of the kind it asks for",
        "add such a node, or ask for what the cluster has ('accelerator:', the selectors under "
        "'pod:')",
        false},
    CauseText{Cause::kNoSuchPool, Phase::kProvision, "no node has the accelerator it asks for",
              "add a node pool of that kind, or ask for an accelerator that the cluster has",
              false},
    CauseText{Cause::kUnschedulable, Phase::kProvision, "the scheduler finds no node for it",
              "what the scheduler says names the rule; those of the job are under 'pod:'", false},
    CauseText{Cause::kScalingUp, Phase::kProvision, "a node is being made for it", "", false},
    CauseText{Cause::kCannotScaleUp, Phase::kProvision,
              "no node has room, and the autoscaler cannot make one that has",
              "raise the maximum size of the node pool, or add a pool that fits", false},
    CauseText{Cause::kScaleUpBackoff, Phase::kProvision,
              "the autoscaler could not make a node and waits before it tries again",
              "it tries again within minutes; another zone or accelerator may be had sooner",
              false},
    CauseText{
        Cause::kCloudQuota, Phase::kProvision, "the cloud project's quota has no room for the node",
        "ask for more quota in the cloud console, or for an accelerator or region that has some",
        false},
    CauseText{
        Cause::kStockout, Phase::kProvision, "the cloud has no such machine left in that zone",
        "wait, or try another zone, spot: true, a reservation, or a list of accelerators", false},
    CauseText{Cause::kAddressesExhausted, Phase::kProvision,
              "the cluster's network has no addresses left for another node",
              "give the subnet or its pod range more addresses, or remove nodes", false},
    CauseText{
        Cause::kQuota, Phase::kSubmit, "the namespace's quota has no room for its pod",
        "wait until other work of the namespace ends, ask for less under 'resources:', or have "
        "the quota raised",
        false},
    CauseText{Cause::kServiceAccountAbsent, Phase::kSubmit, "its service account does not exist",
              "create it, or name another one in the profile (service_account)", false},
    CauseText{Cause::kPodSecurity, Phase::kSubmit,
              "the namespace's Pod Security level refuses its pod",
              "leave out what the message names under 'pod:', or use another namespace", false},
    CauseText{Cause::kAdmission, Phase::kSubmit, "an admission controller refuses its pod",
              "the message says what it wants; who runs the cluster knows the rule", false},
    CauseText{Cause::kNamespaceEnding, Phase::kSubmit, "its namespace is being deleted",
              "run the job again in another namespace", true},
    CauseText{Cause::kPodRefused, Phase::kSubmit, "no pod could be made for it",
              "the message says why; the cluster tries again by itself", false},
    CauseText{Cause::kPulling, Phase::kPull, "its image is being pulled", "", false},
    CauseText{Cause::kImageAbsent, Phase::kPull, "its image does not exist",
              "check the name and the tag under 'image:'; push the image, then it is tried again",
              false},
    CauseText{Cause::kImageForbidden, Phase::kPull, "the node may not pull its image",
              "give the nodes' account read access to the registry, or name a pull secret under "
              "'pod: {spec: {imagePullSecrets: …}}'; a registry may say this of an image that does "
              "not exist, "
              "too",
              false},
    CauseText{Cause::kImageName, Phase::kPull, "its image has no valid name",
              "correct 'image:': registry/repository:tag, in lower case", true},
    CauseText{Cause::kImageArchitecture, Phase::kStart,
              "its image is for another processor than the node's",
              "build it for the node's architecture: kinetic runs on linux/amd64", true},
    CauseText{Cause::kRegistryAway, Phase::kPull, "the image's registry does not answer",
              "the node tries again by itself; check the registry's name and the nodes' way to it",
              false},
    CauseText{Cause::kImagePull, Phase::kPull, "its image cannot be pulled",
              "the node tries again by itself; its message says why", false},
    CauseText{Cause::kSecretAbsent, Phase::kStart,
              "a Secret or ConfigMap that its pod names is absent",
              "create it in the job's namespace, or take it out of 'pod:'; the node looks again by "
              "itself",
              false},
    CauseText{Cause::kVolume, Phase::kStart, "one of its volumes cannot be mounted",
              "check the claim and the volume that the message names", false},
    CauseText{Cause::kSandbox, Phase::kStart, "the node cannot make its pod's sandbox or network",
              "the node tries again by itself; when it lasts, its network plugin is at fault",
              false},
    CauseText{Cause::kContainerConfig, Phase::kStart, "its container cannot be made as specified",
              "the message names the field; those of the job are under 'pod:'", false},
    CauseText{Cause::kCannotRun, Phase::kStart, "its container's program cannot be started",
              "the message says what is missing in the image or not allowed", false},
    CauseText{
        Cause::kCrashLoop, Phase::kStart, "kinetic's collector ends again and again",
        "its log has its last words (kubectl logs, container collector); is its image of this "
        "version, and does it reach the store?",
        false},
    CauseText{Cause::kNodeNotReady, Phase::kStart, "its node is not ready",
              "it goes on when the node is back; a node that stays away is given up by the cluster",
              false},
    CauseText{Cause::kNodeLost, Phase::kRun, "its node is gone",
              "run it again; 'retry: {attempts: …}' does that by itself", false},
    CauseText{Cause::kProgram, Phase::kRun, "its program failed",
              "'kinetic logs' shows what it said", true},
    CauseText{Cause::kException, Phase::kRun, "its function raised an exception",
              "'kinetic result' shows its traceback", true},
    CauseText{Cause::kBeforeUserCode, Phase::kStart, "kinetic failed before any of its code ran",
              "'kinetic logs' and the evidence say what", true},
    CauseText{Cause::kOutOfMemory, Phase::kRun, "killed: it used more memory than it may",
              "give it more with 'resources: {memory: …}'", true},
    CauseText{
        Cause::kEvictedMemory, Phase::kRun, "evicted: its node was short of memory",
        "ask for the memory it uses ('resources: {memory: …}'), so that the node keeps it free",
        false},
    CauseText{Cause::kEvictedDisk, Phase::kRun,
              "evicted: its node was short of disk, or it used too much",
              "ask for the disk it uses ('resources: {disk: …}'), or write less", false},
    CauseText{Cause::kEvicted, Phase::kRun, "evicted from its node",
              "run it again; 'retry: {attempts: …}' does that by itself", false},
    CauseText{Cause::kPreempted, Phase::kRun, "preempted by work of higher priority",
              "'retry: {attempts: …}' lets it go on from its checkpoint; a priorityClassName under "
              "'pod:' keeps it from being preempted",
              false},
    CauseText{Cause::kDrained, Phase::kRun,
              "evicted: its node is being drained, or somebody asked for it",
              "'retry: {attempts: …}' lets it go on from its checkpoint", false},
    CauseText{
        Cause::kNodeShutDown, Phase::kRun, "its node was shut down, as spot machines are",
        "'retry: {attempts: …}' lets it go on from its checkpoint; without 'spot: true' it is "
        "left alone",
        false},
    CauseText{Cause::kPodDeleted, Phase::kRun, "somebody deleted its pod", "", false},
    CauseText{Cause::kTooLate, Phase::kQueue, "it did not begin within timeouts.pending",
              "give it longer with 'timeouts: {pending: …}', or ask for what can be had sooner",
              true},
    CauseText{Cause::kTimeLimit, Phase::kRun, "it ran longer than it may",
              "give it longer with 'timeouts: {run: …}'", true},
    CauseText{Cause::kBackoffLimit, Phase::kRun, "its pods failed more often than they may",
              "'kinetic logs' shows what it said; 'retry: {attempts: …}' allows more", true},
    CauseText{Cause::kCancelled, Phase::kRun, "cancelled", "", true},
    CauseText{Cause::kJobDeleted, Phase::kRun, "somebody deleted its Job",
              "run it again; what was stored of its log is kept", true},
    CauseText{Cause::kLost, Phase::kRun, "nothing of it is left on the cluster",
              "run it again; what was stored of its log is kept", true},
};

}  // namespace

std::span<const CauseText> CauseTexts() { return kTexts; }

const CauseText& TextOf(Cause cause) {
  const auto* const found = std::ranges::find(kTexts, cause, &CauseText::cause);
  return found == kTexts.end() ? TextOf(Cause::kNothingSeen) : *found;
}

}  // namespace kinetic::target
