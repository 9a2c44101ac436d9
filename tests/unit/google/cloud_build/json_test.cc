#include "google/cloud_build/build.h"

#include <gtest/gtest.h>

namespace kinetic::google {
namespace {

BuildConfig Order() {
  BuildConfig order;
  order.source_bucket = "bucket";
  order.source_object = "team/builds/ab.tar.gz";
  order.source_generation = 1700000000000000;
  order.steps = {{"build", "gcr.io/cloud-builders/docker", {"build", "."}, {"DOCKER_BUILDKIT=1"}}};
  order.images = {"registry/name:tag"};
  order.tags = {"kinetic"};
  order.logs = "gs://bucket/team/builds/logs";
  return order;
}

TEST(BuildJson, OmitsUnsetFields) {
  EXPECT_EQ(ToValue(Order()).ToJson(),
            R"({"source":{"storageSource":{"bucket":"bucket","object":"team/builds/ab.tar.gz",)"
            R"("generation":"1700000000000000"}},"steps":[{"id":"build","name":)"
            R"("gcr.io/cloud-builders/docker","args":["build","."],"env":["DOCKER_BUILDKIT=1"]}],)"
            R"("images":["registry/name:tag"],"tags":["kinetic"],"timeout":"3600s","logsBucket":)"
            R"("gs://bucket/team/builds/logs","options":{"logging":"GCS_ONLY"}})");
}

TEST(BuildJson, WritesMachineAndServiceAccount) {
  BuildConfig order = Order();
  order.machine = "E2_HIGHCPU_8";
  order.service_account = "projects/p/serviceAccounts/b@p.iam.gserviceaccount.com";
  const Value value = ToValue(order);
  EXPECT_EQ(*value.Find("options")->Find("machineType")->AsString(), "E2_HIGHCPU_8");
  EXPECT_EQ(*value.Find("serviceAccount")->AsString(), order.service_account);
}

TEST(BuildJson, ReadsAFailedBuild) {
  const auto value = Value::FromJson(
      R"({"id":"8f","status":"FAILURE","statusDetail":"one step","createTime":)"
      R"("2026-11-23T09:00:00Z","logUrl":"https://console.cloud.google.com/cloud-build/builds/8f",)"
      R"("tags":["kinetic"],"failureInfo":{"type":"USER_BUILD_STEP","detail":"why"},)"
      R"("steps":[{"id":"build","name":"docker","status":"FAILURE","exitCode":2}],"new":[1]})");
  ASSERT_TRUE(value);
  const auto build = ParseBuild(*value);
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->status, BuildStatus::kFailure);
  EXPECT_EQ(build->status_detail, "one step");
  EXPECT_EQ(build->failure, "USER_BUILD_STEP");
  EXPECT_EQ(build->failure_detail, "why");
  EXPECT_EQ(build->tags, std::vector<std::string>{"kinetic"});
  ASSERT_EQ(build->steps.size(), 1U);
  EXPECT_EQ(build->steps.front().status, BuildStatus::kFailure);
  EXPECT_EQ(build->steps.front().exit_code, 2);
}

TEST(BuildJson, UnknownStatusIsFinalOnlyWithAFinishTime) {
  const auto read = [](const char* text) { return ParseBuild(*Value::FromJson(text))->status; };
  EXPECT_EQ(read(R"({"id":"8f","status":"PAUSED"})"), BuildStatus::kUnknown);
  EXPECT_EQ(read(R"({"id":"8f","status":"LOST","finishTime":"2026-11-23T09:00:00Z"})"),
            BuildStatus::kFailure);
}

TEST(BuildJson, RejectsInvalidBuilds) {
  for (const char* text : {"{}", R"({"id":"","status":"QUEUED"})", R"({"id":"8f"})", "[]"}) {
    const auto build = ParseBuild(*Value::FromJson(text));
    ASSERT_FALSE(build) << text;
    EXPECT_EQ(build.error().code, ErrorCode::kUnavailable);
  }
}

TEST(BuildJson, DistinguishesFinalStatuses) {
  for (const char* name :
       {"SUCCESS", "FAILURE", "INTERNAL_ERROR", "TIMEOUT", "CANCELLED", "EXPIRED"}) {
    EXPECT_TRUE(IsTerminal(ParseBuildStatus(name))) << name;
    EXPECT_EQ(google::ToString(ParseBuildStatus(name)), name);
  }
  for (const char* name : {"PENDING", "QUEUED", "WORKING", "SOMETHING_NEW"}) {
    EXPECT_FALSE(IsTerminal(ParseBuildStatus(name))) << name;
  }
}

}  // namespace
}  // namespace kinetic::google
