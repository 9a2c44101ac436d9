#include "provision/shutdown/grant.h"
#include "provision/shutdown/objects.h"
#include "provision/shutdown/policy.h"

#include <gmock/gmock.h>

namespace kinetic::provision {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;

const WallTime kNow = *ParseTime("2026-11-27T12:00:00Z");

ShutdownPolicy Policy() {
  ShutdownPolicy policy;
  policy.project = "p";
  policy.zone = "us-west4-a";
  policy.cluster = "kinetic";
  return policy;
}

TEST(ShutdownPolicy, IsReadAsWritten) {
  ShutdownPolicy policy = Policy();
  EXPECT_EQ(*ShutdownPolicyFromJson(ToJson(policy)), policy);
  policy.deadline = kNow;
  policy.idle_time = minutes{30};
  policy.api_endpoint = "http://localhost:1";
  EXPECT_EQ(*ShutdownPolicyFromJson(ToJson(policy)), policy);
}

TEST(ShutdownPolicy, DamageIsAnError) {
  for (const char* json :
       {"", "{}", R"({"project":"p","zone":"z","cluster":"c","deadline":"soon"})",
        R"({"project":"p","zone":"z","cluster":"c","idle_seconds":"30m"})"}) {
    EXPECT_EQ(ShutdownPolicyFromJson(json).error().code, ErrorCode::kDataLoss) << json;
  }
}

TEST(ShutdownPolicy, DeadlineHoldsWhileJobsRun) {
  ShutdownPolicy policy = Policy();
  policy.deadline = kNow;
  const ClusterUse busy{.has_jobs = true, .last = kNow};
  EXPECT_EQ(ReasonToShutDown(policy, busy, kNow - minutes{1}), std::nullopt);
  EXPECT_THAT(*ReasonToShutDown(policy, busy, kNow),
              HasSubstr("its time limit ended at 2026-11-27T12:00"));
}

TEST(ShutdownPolicy, IdleTimeCountsFromTheLastJob) {
  ShutdownPolicy policy = Policy();
  policy.idle_time = minutes{30};
  EXPECT_EQ(ReasonToShutDown(policy, ClusterUse{false, kNow - minutes{29}}, kNow), std::nullopt);
  EXPECT_EQ(ReasonToShutDown(policy, ClusterUse{true, kNow - hours{2}}, kNow), std::nullopt);
  EXPECT_THAT(*ReasonToShutDown(policy, ClusterUse{false, kNow - minutes{30}}, kNow),
              HasSubstr("no jobs for 30m"));
}

TEST(ShutdownPolicy, DeadlineNeedsNoUse) {
  ShutdownPolicy policy = Policy();
  policy.deadline = kNow;
  policy.idle_time = minutes{30};
  EXPECT_EQ(ReasonToShutDown(policy, std::nullopt, kNow - minutes{1}), std::nullopt);
  EXPECT_THAT(*ReasonToShutDown(policy, std::nullopt, kNow), HasSubstr("its time limit ended"));
}

TEST(ShutdownPolicy, GrantExcludesClustersWithLongerNames) {
  const Scope scope{.project = "p", .project_number = "1", .zone = "z", .name = "kinetic"};
  EXPECT_EQ(ShutdownDeletes(scope).grants.front().only_if,
            "resource.name == \"projects/p/locations/z/clusters/kinetic\" || "
            "resource.name.startsWith(\"projects/p/locations/z/clusters/kinetic/\") || "
            "resource.name.startsWith(\"projects/p/locations/z/operations/\")");
}

TEST(ShutdownPolicy, WithoutLimitsNothingIsDeleted) {
  EXPECT_FALSE(Policy().IsActive());
  EXPECT_EQ(ReasonToShutDown(Policy(), ClusterUse{false, kNow - hours{1000}}, kNow), std::nullopt);
}

TEST(ShutdownObjects, CronJobContainsThePolicy) {
  ShutdownPolicy policy = Policy();
  policy.idle_time = minutes{30};
  const auto objects = ShutdownObjects(policy, "registry/runner:1");
  EXPECT_EQ(*PolicyOf(objects.back().object), policy);
  EXPECT_EQ(PolicyOf(objects.front().object).error().code, ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace kinetic::provision
