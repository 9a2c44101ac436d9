#include "backend/kubernetes/diagnose/explain.h"

#include "backend/kubernetes/diagnose/patterns.h"
#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "unit/backend/snapshot_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::backend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// The expected explanation of a recorded state of a real cluster.
struct Row {
  const char* name;
  Cause cause;
  JobState state;
  Phase phase;
  bool final;
  const char* headline;  ///< its prefix, with PORT as the registry's port
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

constexpr std::array kRows = {
    Row{"running", Cause::kRunning, JobState::kRunning, Phase::kRun, false,
        R"(the program is running on node n1)"},
    Row{"suspended", Cause::kSuspended, JobState::kQueued, Phase::kQueue, false,
        R"(the Job is suspended)"},
    Row{"gated", Cause::kSchedulingGated, JobState::kQueued, Phase::kQueue, false,
        R"(the pod has scheduling gates)"},
    Row{"succeeded", Cause::kSucceeded, JobState::kSucceeded, Phase::kCollect, true,
        R"(succeeded)"},
    Row{"collecting", Cause::kCollecting, JobState::kRunning, Phase::kCollect, false,
        R"(the program has ended; its results are being stored)"},
    Row{"queued", Cause::kQueue, JobState::kQueued, Phase::kQueue, false,
        R"(waiting for admission by Kueue to queue team-a)"},
    Row{"queue_not_found", Cause::kQueueNotFound, JobState::kQueued, Phase::kQueue, false,
        R"(the Kueue queue does not exist or is stopped: team-a)"},
    Row{"queue_checks", Cause::kQueue, JobState::kQueued, Phase::kQueue, false,
        R"(Kueue has reserved quota in queue team-a and is waiting for admission checks)"},
    Row{"queue_evicted", Cause::kQueue, JobState::kQueued, Phase::kQueue, false,
        R"(evicted by Kueue and requeued in queue team-a)"},
    Row{"too_large", Cause::kInsufficient, JobState::kPending, Phase::kProvision, false,
        R"(no node is large enough for 8 google.com/tpu)"},
    Row{"memory_too_large", Cause::kInsufficient, JobState::kPending, Phase::kProvision, false,
        R"(no node is large enough for 64 cpu, 900 GiB memory)"},
    Row{"taken", Cause::kInsufficient, JobState::kPending, Phase::kProvision, false,
        R"(no node has 2 google.com/tpu free)"},
    Row{"tainted", Cause::kTaint, JobState::kPending, Phase::kProvision, false,
        R"(no node accepts the pod: all matching nodes have taint dedicated=team-b:NoSchedule)"},
    Row{"cordoned", Cause::kTaint, JobState::kPending, Phase::kProvision, false,
        R"(no node accepts the pod: node n2 matches but is cordoned)"},
    Row{"no_such_pool", Cause::kNoSuchPool, JobState::kPending, Phase::kProvision, false,
        R"(no node has tpu-v6e-slice 2x2; the cluster has nvidia-l4 tpu-v5-lite-podslice 1x1)"},
    Row{"no_such_label", Cause::kNoMatchingNode, JobState::kPending, Phase::kProvision, false,
        R"(no node has room=cellar)"},
    Row{"affinity", Cause::kNoMatchingNode, JobState::kPending, Phase::kProvision, false,
        R"(no node has disk in (nvme, ram))"},
    Row{"claim_absent", Cause::kVolume, JobState::kPending, Phase::kProvision, false,
        R"(a volume cannot be mounted: persistentvolumeclaim "none" not found)"},
    Row{"scaling_up", Cause::kScalingUp, JobState::kPending, Phase::kProvision, false,
        R"(a node is being created)"},
    Row{"stockout", Cause::kStockout, JobState::kPending, Phase::kProvision, false,
        R"(the zone has no capacity for this machine type)"},
    Row{"cloud_quota", Cause::kCloudQuota, JobState::kPending, Phase::kProvision, false,
        R"(the project's quota does not allow another node)"},
    Row{"addresses", Cause::kAddressesExhausted, JobState::kPending, Phase::kProvision, false,
        R"(the cluster's network has no IP addresses for another node)"},
    Row{"backoff", Cause::kScaleUpBackoff, JobState::kPending, Phase::kProvision, false,
        R"(the autoscaler failed to create a node and will retry)"},
    Row{"at_bound", Cause::kCannotScaleUp, JobState::kPending, Phase::kProvision, false,
        R"(no node is large enough for 8 google.com/tpu, and the autoscaler cannot add one)"},
    Row{"misfit", Cause::kNoSuchPool, JobState::kPending, Phase::kProvision, false,
        R"(no node has tpu-v6e-slice 2x2; the cluster has nvidia-l4 tpu-v5-lite-podslice 1x1, and no autoscaled node pool matches)"},
    Row{"quota_taken", Cause::kQuota, JobState::kPending, Phase::kSubmit, false,
        R"(quota team has no room for the pod: 0.6 requests.cpu requested, 0.7 of 1 used)"},
    Row{"quota_never", Cause::kQuota, JobState::kPending, Phase::kSubmit, true,
        R"(quota team is too small for the pod: 2.1 requests.cpu requested, 0 of 1 used; 4.1 GiB requests.memory requested, 0 B of 1 GiB used)"},
    Row{"account_absent", Cause::kServiceAccountNotFound, JobState::kPending, Phase::kSubmit, false,
        R"(the service account does not exist: error looking up service account why-account-absent/nobody: serviceaccount "nobody" not found)"},
    Row{"restricted", Cause::kPodSecurity, JobState::kPending, Phase::kSubmit, false,
        R"(the namespace's Pod Security level rejects the pod: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (containers "collector", "main" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities …)"},
    Row{"policy_refusal", Cause::kAdmission, JobState::kPending, Phase::kSubmit, false,
        R"(an admission controller rejects the pod: ValidatingAdmissionPolicy 'why-owner' with binding 'why-owner' denied request: pods must have the label team)"},
    Row{"webhook_away", Cause::kAdmission, JobState::kPending, Phase::kSubmit, false,
        R"(an admission controller rejects the pod: failed calling webhook "pods.why.test": failed to call webhook: Post "https://127.0.0.1:1/pods?timeout=2s": dial tcp 127.0.0.1:1: connect: connection refused)"},
    Row{"namespace_deleted", Cause::kNamespaceEnding, JobState::kLost, Phase::kRun, true,
        R"(the namespace is being deleted)"},
    Row{"image_not_found", Cause::kImageNotFound, JobState::kPending, Phase::kPull, false,
        R"(the image does not exist: localhost:PORT/absent:1)"},
    Row{"image_absent_backoff", Cause::kImageNotFound, JobState::kPending, Phase::kPull, false,
        R"(the image does not exist: localhost:PORT/absent:1)"},
    Row{"image_private", Cause::kImageForbidden, JobState::kPending, Phase::kPull, false,
        R"(no permission to pull the image: localhost:PORT/private:1)"},
    Row{"image_denied", Cause::kImageForbidden, JobState::kPending, Phase::kPull, false,
        R"(no permission to pull the image: localhost:PORT/denied:1)"},
    Row{"registry_unavailable", Cause::kRegistryUnavailable, JobState::kPending, Phase::kPull,
        false, R"(the image's registry is unavailable: localhost:1/x:1)"},
    Row{"image_name", Cause::kImageName, JobState::kPending, Phase::kPull, true,
        R"(the image name is invalid: Not/An:Image:Name)"},
    Row{"image_never", Cause::kImageNotFound, JobState::kPending, Phase::kPull, false,
        R"(the image does not exist: kinetic.test/none:1)"},
    Row{"image_slow", Cause::kPulling, JobState::kPending, Phase::kPull, false,
        R"(pulling the image: localhost:PORT/slow:1)"},
    Row{"collector_image_absent", Cause::kImageNotFound, JobState::kPending, Phase::kPull, false,
        R"(the image does not exist: localhost:PORT/absent:2 (kinetic's collector))"},
    Row{"architecture", Cause::kImageArchitecture, JobState::kPending, Phase::kStart, true,
        R"(the image is for a different architecture than the node: "localhost:PORT/foreign:1": no match for platform in manifest: not found)"},
    Row{"secret_not_found", Cause::kSecretNotFound, JobState::kPending, Phase::kStart, false,
        R"(a Secret or ConfigMap of the pod does not exist: secret "none" not found)"},
    Row{"key_absent", Cause::kSecretNotFound, JobState::kPending, Phase::kStart, false,
        R"(a Secret or ConfigMap of the pod does not exist: couldn't find key k in Secret why-key-absent/s)"},
    Row{"secret_volume_absent", Cause::kSecretNotFound, JobState::kPending, Phase::kStart, false,
        R"(a Secret or ConfigMap of the pod does not exist: secret "none" not found)"},
    Row{"mount_fails", Cause::kVolume, JobState::kPending, Phase::kStart, false,
        R"(a volume cannot be mounted: hostPath type check failed: /nonexistent/folder is not a directory)"},
    Row{"not_as_root", Cause::kContainerConfig, JobState::kPending, Phase::kStart, false,
        R"(the container configuration is invalid: container has runAsNonRoot and image will run as root)"},
    Row{"crash_loop", Cause::kCrashLoop, JobState::kPending, Phase::kStart, false,
        R"(kinetic's collector exits repeatedly)"},
    Row{"no_such_program", Cause::kCannotRun, JobState::kFailed, Phase::kStart, true,
        R"(the container's program cannot be started: exec: "/nonexistent/program": stat /nonexistent/program: no such file or directory)"},
    Row{"empty_image", Cause::kCannotRun, JobState::kRunning, Phase::kStart, false,
        R"(the container's program cannot be started: exec: "/bin/sh": stat /bin/sh: no such file or directory; its results are being stored)"},
    Row{"out_of_memory", Cause::kOutOfMemory, JobState::kFailed, Phase::kRun, true,
        R"(killed: exceeded its memory limit of 64 MiB)"},
    Row{"out_of_memory_collecting", Cause::kOutOfMemory, JobState::kRunning, Phase::kRun, false,
        R"(killed: exceeded its memory limit of 64 MiB; its results are being stored)"},
    Row{"exit_code", Cause::kProgram, JobState::kFailed, Phase::kRun, true,
        R"(the program exited with code 3)"},
    Row{"killed", Cause::kProgram, JobState::kFailed, Phase::kRun, true,
        R"(the program was killed by SIGKILL, by another process or because a child used too much memory)"},
    Row{"another_attempt", Cause::kBackoffLimit, JobState::kFailed, Phase::kRun, true,
        R"(the pods failed more often than allowed)"},
    Row{"between_attempts", Cause::kRetrying, JobState::kPending, Phase::kQueue, false,
        R"(an attempt has ended; the next one has not started)"},
    Row{"before_user_code", Cause::kBeforeUserCode, JobState::kFailed, Phase::kStart, true,
        R"(failed before any user code ran)"},
    Row{"evicted_disk", Cause::kEvictedDisk, JobState::kPending, Phase::kRun, false,
        R"(evicted: the node ran out of disk, or the job exceeded its limit: Usage of EmptyDir volume "v" exceeds the limit "1Mi"; another attempt may follow)"},
    Row{"preempted", Cause::kPreempted, JobState::kRunning, Phase::kRun, false,
        R"(preempted by a pod with higher priority; the program is being stopped)"},
    Row{"drained", Cause::kDrained, JobState::kRunning, Phase::kRun, false,
        R"(evicted: the node was drained, or a client requested it; the program is being stopped)"},
    Row{"node_not_ready", Cause::kNodeNotReady, JobState::kRunning, Phase::kRun, false,
        R"(node n2 does not respond)"},
    Row{"node_lost", Cause::kNodeLost, JobState::kRunning, Phase::kRun, false,
        R"(node n2 does not respond; the program is being stopped)"},
    Row{"pod_deleted", Cause::kPodDeleted, JobState::kRunning, Phase::kRun, false,
        R"(the pod was deleted by another client; the program is being stopped)"},
    Row{"job_deleted", Cause::kJobDeleted, JobState::kLost, Phase::kRun, true,
        R"(the Job was deleted by another client)"},
    Row{"run_deadline", Cause::kTimeLimit, JobState::kFailed, Phase::kRun, true,
        R"(exceeded its time limit)"},
    Row{"pending_deadline", Cause::kStartTimeout, JobState::kFailed, Phase::kQueue, true,
        R"(did not start within timeouts.pending: 1 Insufficient google.com/tpu, 1 node(s) had untolerated taint(s))"},
};

class RecordedSnapshots : public testing::TestWithParam<Row> {};

TEST_P(RecordedSnapshots, HaveExpectedCause) {
  const SnapshotFile file(GetParam().name);
  const Explanation explanation = Explain(file.Read());
  EXPECT_EQ(Name(explanation.cause), Name(GetParam().cause));
  EXPECT_EQ(Name(explanation.state), Name(GetParam().state));
  EXPECT_EQ(Name(explanation.phase), Name(GetParam().phase));
  EXPECT_EQ(explanation.final, GetParam().final);
  EXPECT_THAT(
      std::regex_replace(explanation.headline, std::regex("localhost:[0-9]{5}"), "localhost:PORT"),
      StartsWith(GetParam().headline));
  EXPECT_EQ(explanation.headline.find('\n'), std::string::npos);
}

/// Returns whether a cause needs neither advice nor evidence.
bool IsPlain(Cause cause) {
  return cause == Cause::kRunning || cause == Cause::kJobDeleted ||
         cause == Cause::kNamespaceEnding;
}

TEST_P(RecordedSnapshots, HaveEvidenceFromServer) {
  const SnapshotFile file(GetParam().name);
  const Explanation explanation = Explain(file.Read());
  EXPECT_EQ(explanation.evidence.empty(), IsPlain(explanation.cause));
  for (const Evidence& evidence : explanation.evidence) {
    EXPECT_FALSE(evidence.source.empty());
    EXPECT_GE(evidence.count, 1U);
    // The server's response contains its last sentence, with JSON escapes.
    std::string said = evidence.text.substr(evidence.text.find(": ") + 1);
    const std::string json = Value(said.substr(said.size() / 2)).ToJson();
    if (evidence.source.find("terminated") == std::string::npos) {
      EXPECT_THAT(file.text(), HasSubstr(json.substr(1, json.size() - 2))) << evidence.source;
    }
    EXPECT_LE(evidence.first, evidence.last);
  }
}

TEST_P(RecordedSnapshots, HaveMatchingStateAndOrderedTimeline) {
  const SnapshotFile file(GetParam().name);
  const record::AttemptStatus status = StateOf(file.Read());
  EXPECT_EQ(Name(status.state), Name(GetParam().state));
  EXPECT_EQ(Name(status.phase), Name(GetParam().phase));
  EXPECT_EQ(status.id, "wanted");
  ASSERT_FALSE(status.timeline.empty());
  EXPECT_EQ(status.timeline.front().name, "created");
  for (std::size_t i = 1; i < status.timeline.size(); ++i) {
    EXPECT_LE(status.timeline[i - 1].time, status.timeline[i].time);
  }
}

/// With the Job alone, explanations are less detailed but have the correct state.
TEST_P(RecordedSnapshots, AreHandledWithMissingObjects) {
  const SnapshotFile file(GetParam().name);
  SnapshotView bare = file.Read();
  bare.pods.clear();
  bare.events.clear();
  bare.nodes.clear();
  bare.nodes_known = false;
  bare.workload = nullptr;
  const Explanation explanation = Explain(bare);
  EXPECT_FALSE(explanation.headline.empty());
  EXPECT_EQ(IsTerminal(explanation.state), IsTerminal(GetParam().state));
}

INSTANTIATE_TEST_SUITE_P(Recorded, RecordedSnapshots, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(Explain, NamesNearestNodes) {
  const SnapshotFile taken("taken");
  const auto nodes = Explain(taken.Read()).near_nodes;
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].name, "n1");
  EXPECT_THAT(nodes[0].lacks, ElementsAre("2 google.com/tpu (0 of 4 free)"));
  EXPECT_THAT(nodes[1].lacks, ElementsAre("toleration of dedicated=team-b:NoSchedule"));
}

TEST(Explain, NamesMissingPoolLabel) {
  const SnapshotFile file("no_such_pool");
  const auto nodes = Explain(file.Read()).near_nodes;
  ASSERT_FALSE(nodes.empty());
  EXPECT_THAT(nodes[0].lacks, ElementsAre("cloud.google.com/gke-tpu-accelerator=tpu-v6e-slice (has "
                                          "tpu-v5-lite-podslice)",
                                          "cloud.google.com/gke-tpu-topology=2x2 (has 1x1)"));
}

TEST(Explain, CountsOnlyPodsOnTheNode) {
  SnapshotFile file("taken");
  SnapshotView view = file.Read();
  view.other_pods.clear();
  EXPECT_EQ(Explain(view).near_nodes[0].lacks.size(), 0U) << "all 4 are free";
}

TEST(Explain, ReportsFailureBehindBackoff) {
  const SnapshotFile file("stockout");
  const Explanation explanation = Explain(file.Read());
  ASSERT_GE(explanation.evidence.size(), 3U);
  EXPECT_THAT(explanation.evidence[0].text, HasSubstr("GCE out of resources"));
  EXPECT_THAT(explanation.evidence[1].text, HasSubstr("in backoff"));
}

TEST(Explain, IgnoresOldAutoscalerEvents) {
  const SnapshotFile file("stockout");
  SnapshotView view = file.Read();
  view.now += std::chrono::hours(2);
  EXPECT_EQ(Explain(view).cause, Cause::kInsufficient);
}

TEST(Explain, ReportsDurationOfNodeCreation) {
  const SnapshotFile file("scaling_up");
  SnapshotView view = file.Read();
  EXPECT_EQ(Explain(view).advice, "");
  view.now += std::chrono::minutes(15);
  EXPECT_THAT(Explain(view).progress, HasSubstr("15m"));
  EXPECT_THAT(Explain(view).advice, HasSubstr("longer than usual"));
}

TEST(Explain, ToleratesServerClockThatIsBehind) {
  const SnapshotFile file("image_slow");
  SnapshotView view = file.Read();
  view.now -= std::chrono::hours(1);
  EXPECT_THAT(Explain(view).progress, HasSubstr("0 ms"));
}

TEST(Explain, DistinguishesUnknownFromDeletedJob) {
  SnapshotView view{.job_id = "wanted"};
  EXPECT_EQ(Explain(view).cause, Cause::kNoStatus);
  EXPECT_EQ(Explain(view).state, JobState::kPending);
  view.job_existed = true;
  EXPECT_EQ(Explain(view).cause, Cause::kJobDeleted);
  EXPECT_EQ(Explain(view).state, JobState::kLost);
}

Value& Member(Value& object, std::string_view key) {
  return std::ranges::find(*object.AsMap(), key, &Value::Map::value_type::first)->second;
}

TEST(Explain, ReportsArmNodeIfCollectorCannotRun) {
  SnapshotFile file("crash_loop");
  for (Value& node : *Member(file.object(), "nodes").AsList()) {
    Member(Member(node, "metadata"), "labels").Set("kubernetes.io/arch", "arm64");
  }
  const Explanation explanation = Explain(file.Read());
  EXPECT_EQ(explanation.cause, Cause::kImageArchitecture);
  EXPECT_EQ(explanation.headline, "node n1 is arm64, but kinetic requires amd64");
}

TEST(Explain, ReportsContainersThatWereKilledWhileTheyStarted) {
  SnapshotFile file("crash_loop");
  Member(file.object(), "events") = Value(Value::List());  // none of a back-off
  SnapshotView view = file.Read();
  EXPECT_EQ(Explain(view).cause, Cause::kStarting);
  view.now += std::chrono::minutes(2);
  const Explanation explanation = Explain(view);
  EXPECT_EQ(explanation.cause, Cause::kNodeLost);
  EXPECT_EQ(explanation.state, JobState::kPending);
  EXPECT_THAT(explanation.headline, HasSubstr("killed while they started on node n1"));
  EXPECT_THAT(explanation.advice, HasSubstr("cancel"));
}

/// Events of the same second are ordered by version.
TEST(Explain, OrdersEventsOfOneSecondByVersion) {
  for (const auto& [version, cause] :
       {std::pair("1", Cause::kPulling), std::pair("999999999", Cause::kStarting)}) {
    SnapshotFile file("image_slow");
    Value::List& events = *Member(file.object(), "events").AsList();
    Value pulled = *std::ranges::find(events, "Pulling",
                                      [](const Value& event) { return TextAt(event, {"reason"}); });
    pulled.Set("reason", "Pulled");
    Member(pulled, "metadata").Set("resourceVersion", version);
    events.push_back(pulled);
    EXPECT_EQ(Name(Explain(file.Read()).cause), Name(cause)) << version;
  }
}

TEST(Explain, DetectsFullQuotaWithoutEvent) {
  const SnapshotFile file("quota_taken");
  SnapshotView view = file.Read();
  view.events.clear();
  const Explanation full = Explain(view);
  EXPECT_EQ(full.cause, Cause::kQuota);
  EXPECT_EQ(full.headline, "quota team has no room for the pod: 0.6 cpu requested, 0.7 of 1 used");
  EXPECT_EQ(full.evidence.at(0).text, "requests.cpu: hard 1, used 0.7");
  const SnapshotFile never("quota_never");
  view = never.Read();
  view.events.clear();
  EXPECT_TRUE(Explain(view).final);
  view.quotas.clear();
  EXPECT_EQ(Explain(view).cause, Cause::kNoStatus);
}

TEST(Explain, ReportsJobEndedByClient) {
  SnapshotFile file("suspended");
  Value& metadata = Member(Member(file.object(), "job"), "metadata");
  metadata.Set("annotations", Value::Map{{"kinetic.dev/stopped", "cancelled"}});
  EXPECT_EQ(Explain(file.Read()).state, JobState::kCancelled);
  metadata.Set("annotations", Value::Map{{"kinetic.dev/stopped", "stockout"}});
  EXPECT_EQ(Explain(file.Read()).cause, Cause::kStockout);
  EXPECT_EQ(Explain(file.Read()).state, JobState::kFailed);
}

TEST(MatchCause, DistinguishesFailuresOfGkeAutoscaler) {
  const std::vector<std::pair<std::string, Cause>> reasons{
      {"GCE out of resources", Cause::kStockout},
      {"GCE quota exceeded", Cause::kCloudQuota},
      {"IP space exhausted", Cause::kAddressesExhausted},
      {"Reservation not found", Cause::kReservation},
      {"Reservation capacity exceeded", Cause::kReservation},
      {"Invalid reservation", Cause::kReservation},
      {"Invalid TPU topology", Cause::kPoolConfiguration},
      {"Unsupported TPU configuration", Cause::kPoolConfiguration},
      {"Service account deleted", Cause::kPoolConfiguration},
      {"Nodes failed to appear in time", Cause::kNodeTimeout},
      {"Internal error", Cause::kCannotScaleUp}};
  for (const auto& [reason, cause] : reasons) {
    const std::string message =
        "Node scale up in zones us-central1-a associated with this pod "
        "failed: " +
        reason + ". Pod is at risk of not being scheduled.";
    EXPECT_EQ(MatchCause(SignalSource::kAutoscaler, "FailedScaleUp", message), cause) << reason;
  }
}

TEST(GiveUp, WaitsForTemporaryCauses) {
  for (const char* name : {"taken", "too_large", "scaling_up", "stockout", "image_not_found",
                           "quota_taken", "queued", "running", "crash_loop", "secret_not_found"}) {
    const SnapshotFile file(name);
    EXPECT_FALSE(GiveUp(file.Read())) << name;
  }
}

/// The autoscaler's message names existing pools only, and the cluster may create one.
TEST(GiveUp, WaitsTenMinutesForNodePool) {
  const SnapshotFile file("misfit");
  SnapshotView view = file.Read();
  EXPECT_FALSE(GiveUp(view));
  EXPECT_THAT(Explain(view).advice, HasSubstr("kinetic stops the job after 10 min"));
  view.now += std::chrono::minutes(10);
  ASSERT_TRUE(GiveUp(view));
  EXPECT_THAT(GiveUp(view)->headline, StartsWith("cannot start: no node has tpu-v6e-slice"));
}

TEST(Explain, ReportsMissingAutoscaledNodePools) {
  SnapshotFile file("misfit");
  std::string text = file.object().ToJson();
  const std::string reason = "3 node(s) didn't match Pod's node affinity/selector";
  const std::string_view said = "scale-up: ";
  const std::size_t at = text.find(std::string(said) + reason);
  ASSERT_NE(at, std::string::npos);
  file.object() = *Value::FromJson(text.erase(at + said.size(), reason.size()));
  SnapshotView view = file.Read();
  EXPECT_THAT(Explain(view).headline, HasSubstr(", and no autoscaled node pool matches"));
  view.now += std::chrono::minutes(10);
  EXPECT_TRUE(GiveUp(view));
}

TEST(GiveUp, EndsJobThatCannotStart) {
  for (const char* name : {"image_name", "quota_never"}) {
    const SnapshotFile file(name);
    const auto explanation = GiveUp(file.Read());
    ASSERT_TRUE(explanation) << name;
    EXPECT_THAT(explanation->headline, StartsWith("cannot start: ")) << name;
    EXPECT_EQ(explanation->cause, Explain(file.Read()).cause) << name;
  }
}

TEST(GiveUp, KeepsCauseAfterTimeout) {
  const SnapshotFile file("taken");
  SnapshotView view = file.Read();
  view.requested.pending = std::chrono::minutes(30);
  EXPECT_FALSE(GiveUp(view));
  view.now += std::chrono::minutes(30);
  const auto explanation = GiveUp(view);
  ASSERT_TRUE(explanation);
  EXPECT_EQ(explanation->cause, Cause::kInsufficient);
  EXPECT_TRUE(explanation->final);
  EXPECT_EQ(explanation->headline,
            "did not start within timeouts.pending (30m 0s): no node has 2 google.com/tpu free");
  EXPECT_FALSE(explanation->evidence.empty());
}

TEST(GiveUp, KeepsStartedJob) {
  const SnapshotFile file("running");
  SnapshotView view = file.Read();
  view.requested.pending = std::chrono::minutes(1);
  view.now += std::chrono::hours(1);
  EXPECT_FALSE(GiveUp(view));
}

TEST(StateOf, UsesServerTimes) {
  const SnapshotFile file("out_of_memory");
  std::vector<std::string> names;
  for (const auto& moment : StateOf(file.Read()).timeline) names.push_back(moment.name);
  std::ranges::sort(names);
  EXPECT_THAT(names, ElementsAre("collector started", "created", "finished", "pulled", "scheduled",
                                 "started", "terminated"));
}

TEST(StateOf, CountsAttempts) {
  const SnapshotFile first("running");
  EXPECT_EQ(StateOf(first.Read()).attempt, 1U);
  const SnapshotFile later("between_attempts");
  EXPECT_GE(StateOf(later.Read()).attempt, 2U);
}

TEST(StateOf, HasNoReasonForRunningJob) {
  const SnapshotFile running("running");
  EXPECT_EQ(StateOf(running.Read()).reason, "");
  const SnapshotFile taken("taken");
  EXPECT_EQ(StateOf(taken.Read()).reason, "no node has 2 google.com/tpu free");
}

}  // namespace
}  // namespace kinetic::backend
