#include "env/cloud_build/outcome.h"

#include <gmock/gmock.h>

namespace kinetic::env {
namespace {

using google::Build;
using google::BuildStatus;
using testing::HasSubstr;

Build Ended(BuildStatus status, const std::string& failure = {}) {
  Build build;
  build.id = "8f";
  build.status = status;
  build.failure = failure;
  build.log_url = "https://console/8f";
  build.steps = {{"fetch", "git", BuildStatus::kSuccess, 0},
                 {"build", "gcr.io/cloud-builders/docker", BuildStatus::kFailure, 3}};
  return build;
}

Error Of(const Build& build, const std::vector<std::string>& lines = {}) {
  const auto outcome = OutcomeOf(build, "registry/name:tag", lines);
  EXPECT_FALSE(outcome);
  return outcome ? Error{} : outcome.error();
}

TEST(CloudOutcome, ABuildThatWentWellIsOne) {
  EXPECT_TRUE(OutcomeOf(Ended(BuildStatus::kSuccess), "registry/name:tag", {"DONE"}));
}

TEST(CloudOutcome, AFailureSaysWhichStepAndItsLastLines) {
  Build build = Ended(BuildStatus::kFailure, "USER_BUILD_STEP");
  build.status_detail = "build step 1 exited";  // which is no news
  const Error error = Of(build, {"no matching distribution", "ERROR"});
  EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(error.message,
            "Cloud Build has not made registry/name:tag: its step build "
            "(gcr.io/cloud-builders/docker) failed with exit code 3:\n"
            "  no matching distribution\n  ERROR");
  EXPECT_EQ(error.hint, "all that it said: https://console/8f");
  EXPECT_THAT(error.details, testing::Contains(testing::Pair("build_status", "FAILURE")));
}

TEST(CloudOutcome, EachEndHasItsOwnCodeAndAdvice) {
  const std::tuple<BuildStatus, ErrorCode, const char*> ends[] = {
      {BuildStatus::kTimeout, ErrorCode::kDeadlineExceeded, "build_timeout"},
      {BuildStatus::kExpired, ErrorCode::kDeadlineExceeded, "quota"},
      {BuildStatus::kCancelled, ErrorCode::kAborted, "again"},
      {BuildStatus::kInternalError, ErrorCode::kUnavailable, "again"}};
  for (const auto& [status, code, advice] : ends) {
    const Error error = Of(Ended(status));
    EXPECT_EQ(error.code, code) << google::Name(status);
    EXPECT_THAT(error.hint, HasSubstr(advice)) << google::Name(status);
    EXPECT_THAT(error.hint, HasSubstr("https://console/8f"));
  }
}

TEST(CloudOutcome, AnAccountThatMayNotIsToldFromAStepThatCannot) {
  const auto failed = [](const std::string& failure) {
    Build build = Ended(BuildStatus::kFailure, failure);
    build.steps.back().status = BuildStatus::kSuccess;
    build.failure_detail = "what Google says";
    return build;
  };
  const Error push = Of(failed("PUSH_NOT_AUTHORIZED"));
  EXPECT_EQ(push.code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(push.hint, HasSubstr("roles/artifactregistry.writer"));
  EXPECT_THAT(push.message, HasSubstr("may not push the image; what Google says"));
  EXPECT_THAT(Of(failed("FETCH_SOURCE_FAILED")).message, HasSubstr("could not read its source"));
  EXPECT_THAT(Of(failed("LOGGING_FAILURE")).message, HasSubstr("could not write its log"));
  EXPECT_THAT(Of(failed("PUSH_FAILED")).message, HasSubstr("could not be pushed"));
}

}  // namespace
}  // namespace kinetic::env
