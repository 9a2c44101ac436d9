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
            "resource.name.startsWith(\"projects/p/locations/z/operations/\") || "
            "resource.name == \"projects/p/zones/z/clusters/kinetic\" || "
            "resource.name.startsWith(\"projects/p/zones/z/clusters/kinetic/\") || "
            "resource.name.startsWith(\"projects/p/zones/z/operations/\")");
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

TEST(ShutdownObjects, OnlyAPodProvesThatTheClusterCanBeDeleted) {
  const auto check = [](const char* text) { return CheckOf(*Value::FromJson(text)); };
  EXPECT_EQ(check("{}").error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(check(R"({"metadata":{"annotations":{"kinetic.dev/last-check":"ok"}}})"));
  const Status refused =
      check(R"({"metadata":{"annotations":{"kinetic.dev/last-check":"GET: 403"}}})");
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(refused.error().message, HasSubstr("GET: 403"));
  EXPECT_THAT(check(R"({"metadata":{"annotations":{"kinetic.dev/last-check":"ok"}},"status":{)"
                    R"("lastScheduleTime":"2026-11-29T01:00:00Z",)"
                    R"("lastSuccessfulTime":"2026-11-29T00:00:00Z"}})")
                  .error()
                  .message,
              HasSubstr("no pod of CronJob kinetic-shutdown has succeeded since 2026-11-29T00:00"));
  const auto never = [&](const std::string& started) {
    return check(
        (R"({"metadata":{"creationTimestamp":"2026-11-29T00:01:00Z",)"
         R"("annotations":{"kinetic.dev/last-check":"ok"}},"status":{"lastScheduleTime":")" +
         started + R"("}})")
            .c_str());
  };
  EXPECT_TRUE(never("2026-11-29T00:15:00Z"));
  EXPECT_THAT(never("2026-11-29T00:20:00Z").error().message,
              HasSubstr("has succeeded since 2026-11-29T00:01"));
}

}  // namespace
}  // namespace kinetic::provision
