#include "backend/kubernetes/lifecycle/outcome.h"
#include "base/time/timestamp.h"
#include "unit/backend/parse.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::backend {
namespace {

const WallTime kEnd = *ParseTime("2030-01-01T00:00:00Z");
const WallTime kSoon = kEnd + std::chrono::minutes(1);
const WallTime kLate = kEnd + std::chrono::minutes(5);

/// A job that failed, with a pod whose collector ran on node n2.
Observed Ended() {
  Observed observed;
  observed.job_id = "k";
  observed.job = Json(
      R"({"metadata":{"name":"kinetic-k"},"status":{"conditions":[{"type":"Failed","status":"True",)"
      R"("lastTransitionTime":"2030-01-01T00:00:00Z"}]}})");
  observed.pods["u"] =
      Json(R"({"metadata":{"name":"p","uid":"u"},"spec":{"nodeName":"n2"},"status":{)"
           R"("initContainerStatuses":[{"name":"collector","state":{"running":{}}}]}})");
  return observed;
}

Observed OnNode(const std::string& ready) {
  Observed observed = Ended();
  observed.nodes.push_back(
      Json(R"({"metadata":{"name":"n2"},"status":{"conditions":[{"type":"Ready","status":")" +
           ready + "\"}]}}"));
  return observed;
}

TEST(KubernetesRemains, ReadsLogIfNodeResponds) {
  for (const auto& observed : {OnNode("True"), Ended()}) {
    EXPECT_EQ(RestOf(observed, kSoon).silent, "");
    EXPECT_FALSE(RestOf(observed, kSoon).is_last_chance) << "the log may become readable";
    EXPECT_TRUE(RestOf(observed, kLate).is_last_chance);
  }
}

TEST(KubernetesRemains, WaitsFiveMinutesForUnresponsiveNode) {
  const Observed observed = OnNode("Unknown");
  EXPECT_EQ(RestOf(observed, kSoon).silent, "its node n2 does not respond");
  EXPECT_FALSE(RestOf(observed, kSoon).is_last_chance);
  EXPECT_TRUE(RestOf(observed, kLate).is_last_chance);
}

TEST(KubernetesRemains, DoesNotWaitForDeletedPod) {
  Observed observed = Ended();
  observed.nodes_gone = {"n2"};
  EXPECT_EQ(RestOf(observed, kSoon).silent, "its node n2 is gone");
  EXPECT_TRUE(RestOf(observed, kSoon).is_last_chance);
  observed.pods.clear();
  EXPECT_EQ(RestOf(observed, kSoon).silent, "") << "no sign that it started";
  observed.events["e"] = Json(R"({"reason":"Started","message":"Started container main",)"
                              R"("involvedObject":{"kind":"Pod","name":"kinetic-k-x1y2z"}})");
  EXPECT_EQ(RestOf(observed, kSoon).silent, "its pod is gone");
  EXPECT_TRUE(RestOf(observed, kSoon).is_last_chance);
}

TEST(KubernetesRemains, SuspensionIsEndOfStoppedJob) {
  Observed observed = OnNode("Unknown");
  observed.job =
      Json(R"({"metadata":{"name":"kinetic-k"},"status":{"conditions":[{"type":"Suspended",)"
           R"("status":"True","lastTransitionTime":"2030-01-01T00:00:00Z"}]}})");
  EXPECT_FALSE(RestOf(observed, kSoon).is_last_chance);
  EXPECT_TRUE(RestOf(observed, kLate).is_last_chance);
}

}  // namespace
}  // namespace kinetic::backend
