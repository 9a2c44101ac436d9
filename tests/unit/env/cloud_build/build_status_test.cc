#include "env/cloud_build/build_io.h"

#include <gmock/gmock.h>

namespace kinetic::env {
namespace {

using google::Build;
using google::BuildStatus;
using testing::HasSubstr;

Build FinishedBuild(BuildStatus status, const std::string& failure = {}) {
  Build build;
  build.id = "8f";
  build.status = status;
  build.failure = failure;
  build.log_url = "https://console/8f";
  build.steps = {{"fetch", "git", BuildStatus::kSuccess, 0},
                 {"build", "gcr.io/cloud-builders/docker", BuildStatus::kFailure, 3}};
  return build;
}

Error StatusError(const Build& build, const std::vector<std::string>& lines = {}) {
  const auto outcome = CloudBuildStatus(build, "registry/name:tag", lines);
  EXPECT_FALSE(outcome);
  return outcome ? Error{} : outcome.error();
}

TEST(CloudBuildStatus, SuccessIsOk) {
  EXPECT_TRUE(
      CloudBuildStatus(FinishedBuild(BuildStatus::kSuccess), "registry/name:tag", {"DONE"}));
}

TEST(CloudBuildStatus, FailureNamesStepAndLastLines) {
  Build build = FinishedBuild(BuildStatus::kFailure, "USER_BUILD_STEP");
  build.status_detail = "build step 1 exited";  // repeats the step
  const Error error = StatusError(build, {"no matching distribution", "ERROR"});
  EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(error.message,
            "Cloud Build failed to build registry/name:tag: step build "
            "(gcr.io/cloud-builders/docker) failed with exit code 3:\n"
            "  no matching distribution\n  ERROR");
  EXPECT_EQ(error.hint, "full log: https://console/8f");
  EXPECT_THAT(error.details, testing::Contains(testing::Pair("build_status", "FAILURE")));
}

TEST(CloudBuildStatus, EachStatusHasCodeAndHint) {
  const std::tuple<BuildStatus, ErrorCode, const char*> ends[] = {
      {BuildStatus::kTimeout, ErrorCode::kDeadlineExceeded, "build_timeout"},
      {BuildStatus::kExpired, ErrorCode::kDeadlineExceeded, "quota"},
      {BuildStatus::kCancelled, ErrorCode::kAborted, "again"},
      {BuildStatus::kInternalError, ErrorCode::kUnavailable, "again"}};
  for (const auto& [status, code, advice] : ends) {
    const Error error = StatusError(FinishedBuild(status));
    EXPECT_EQ(error.code, code) << google::ToString(status);
    EXPECT_THAT(error.hint, HasSubstr(advice)) << google::ToString(status);
    EXPECT_THAT(error.hint, HasSubstr("https://console/8f"));
  }
}

TEST(CloudBuildStatus, DistinguishesPermissionFromStepFailure) {
  const auto failed = [](const std::string& failure) {
    Build build = FinishedBuild(BuildStatus::kFailure, failure);
    build.steps.back().status = BuildStatus::kSuccess;
    build.failure_detail = "what Google says";
    return build;
  };
  const Error push = StatusError(failed("PUSH_NOT_AUTHORIZED"));
  EXPECT_EQ(push.code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(push.hint, HasSubstr("roles/artifactregistry.writer"));
  EXPECT_THAT(push.message, HasSubstr("is not allowed to push the image; what Google says"));
  EXPECT_THAT(StatusError(failed("FETCH_SOURCE_FAILED")).message,
              HasSubstr("could not read its source"));
  EXPECT_THAT(StatusError(failed("LOGGING_FAILURE")).message, HasSubstr("could not write its log"));
  EXPECT_THAT(StatusError(failed("PUSH_FAILED")).message, HasSubstr("could not push the image"));
}

}  // namespace
}  // namespace kinetic::env
