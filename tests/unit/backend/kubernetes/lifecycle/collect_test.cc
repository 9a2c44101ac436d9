#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "base/time/clock.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "unit/backend/parse.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::backend {
namespace {

const WallTime kEnd = *ParseTime("2030-01-01T00:00:00Z");
const WallTime kSoon = kEnd + std::chrono::minutes(1);
const WallTime kLate = kEnd + std::chrono::minutes(5);

/// A job that failed, with a pod whose collector ran on node n2.
ClusterSnapshot Ended() {
  ClusterSnapshot snapshot;
  snapshot.job_id = "k";
  snapshot.job = Json(
      R"({"metadata":{"name":"kinetic-k"},"status":{"conditions":[{"type":"Failed","status":"True",)"
      R"("lastTransitionTime":"2030-01-01T00:00:00Z"}]}})");
  snapshot.pods["u"] =
      Json(R"({"metadata":{"name":"p","uid":"u"},"spec":{"nodeName":"n2"},"status":{)"
           R"("initContainerStatuses":[{"name":"collector","state":{"running":{}}}]}})");
  return snapshot;
}

ClusterSnapshot OnNode(const std::string& ready) {
  ClusterSnapshot snapshot = Ended();
  snapshot.nodes.push_back(
      Json(R"({"metadata":{"name":"n2"},"status":{"conditions":[{"type":"Ready","status":")" +
           ready + "\"}]}}"));
  return snapshot;
}

TEST(KubernetesLogAvailability, ReadsLogIfNodeResponds) {
  for (const auto& snapshot : {OnNode("True"), Ended()}) {
    EXPECT_EQ(LogAvailabilityOf(snapshot, kSoon).unavailable_reason, "");
    EXPECT_FALSE(LogAvailabilityOf(snapshot, kSoon).is_final) << "the log may become readable";
    EXPECT_TRUE(LogAvailabilityOf(snapshot, kLate).is_final);
  }
}

TEST(KubernetesLogAvailability, WaitsFiveMinutesForUnresponsiveNode) {
  const ClusterSnapshot snapshot = OnNode("Unknown");
  EXPECT_EQ(LogAvailabilityOf(snapshot, kSoon).unavailable_reason, "its node n2 does not respond");
  EXPECT_FALSE(LogAvailabilityOf(snapshot, kSoon).is_final);
  EXPECT_TRUE(LogAvailabilityOf(snapshot, kLate).is_final);
}

TEST(KubernetesLogAvailability, DoesNotWaitForDeletedPod) {
  ClusterSnapshot snapshot = Ended();
  snapshot.missing_nodes = {"n2"};
  EXPECT_EQ(LogAvailabilityOf(snapshot, kSoon).unavailable_reason, "its node n2 is gone");
  EXPECT_TRUE(LogAvailabilityOf(snapshot, kSoon).is_final);
  snapshot.pods.clear();
  EXPECT_EQ(LogAvailabilityOf(snapshot, kSoon).unavailable_reason, "") << "no sign that it started";
  snapshot.events["e"] = Json(R"({"reason":"Started","message":"Started container main",)"
                              R"("involvedObject":{"kind":"Pod","name":"kinetic-k-x1y2z"}})");
  EXPECT_EQ(LogAvailabilityOf(snapshot, kSoon).unavailable_reason, "its pod is gone");
  EXPECT_TRUE(LogAvailabilityOf(snapshot, kSoon).is_final);
}

TEST(KubernetesLogAvailability, SuspensionIsEndOfStoppedJob) {
  ClusterSnapshot snapshot = OnNode("Unknown");
  snapshot.job =
      Json(R"({"metadata":{"name":"kinetic-k"},"status":{"conditions":[{"type":"Suspended",)"
           R"("status":"True","lastTransitionTime":"2030-01-01T00:00:00Z"}]}})");
  EXPECT_FALSE(LogAvailabilityOf(snapshot, kSoon).is_final);
  EXPECT_TRUE(LogAvailabilityOf(snapshot, kLate).is_final);
}

TEST(KubernetesCollectState, TakesTheAttemptWithTheHighestNumber) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  for (const int attempt : {1, 9, 10}) {
    record::StoredOutcome outcome;
    outcome.job = {"k", "n"};
    outcome.outcome.state = JobState::kFailed;
    outcome.outcome.attempt = static_cast<std::uint32_t>(attempt);
    outcome.outcome.exception.emplace().message = "attempt " + std::to_string(attempt);
    const auto name = record::RunResultName(record::RunKey("k", outcome.outcome.attempt));
    ASSERT_TRUE(store::Overwrite(store, name, record::ToJson(outcome), {}));
  }
  const auto state = CollectState(Ended(), "k", store, kSoon, {});
  ASSERT_TRUE(state && state->outcome);
  EXPECT_EQ(state->outcome->outcome.attempt, 10U);
  ASSERT_TRUE(state->outcome->outcome.exception);
  EXPECT_EQ(state->outcome->outcome.exception->message, "attempt 10");
}

}  // namespace
}  // namespace kinetic::backend
