#include "pod/package_build_request.h"

#include <gmock/gmock.h>

namespace kinetic::pod {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(PackageBuildRequest, RoundTrips) {
  PackageBuildRequest request{.request_name = "builds/x.json",
                              .request_sha256 = std::string(64, 'a'),
                              .store = "gs://bucket/team",
                              .cloud = {}};
  request.cloud.storage_endpoint = "http://10.0.0.1:1";
  const auto read = PackageBuildRequestFromJson(ToJson(request));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->request_name, request.request_name);
  EXPECT_EQ(read->request_sha256, request.request_sha256);
  EXPECT_EQ(read->store, request.store);
  EXPECT_EQ(read->cloud.storage_endpoint, request.cloud.storage_endpoint);
}

TEST(PackageBuildRequest, ReportsInvalidFields) {
  for (const char* const json : {"", "[]", R"({"version": 2})", R"({"version": 1})"}) {
    const auto read = PackageBuildRequestFromJson(json);
    ASSERT_FALSE(read) << json;
    EXPECT_EQ(read.error().code == ErrorCode::kDataLoss ||
                  read.error().code == ErrorCode::kInvalidArgument,
              true)
        << read.error().message;
  }
}

TEST(PrivateUrls, RoundTrip) {
  const std::map<std::string, std::string> urls{{"http://h/simple", "http://ana:geheim@h/simple"}};
  const auto read = PrivateUrlsFromJson(PrivateUrlsToJson(urls));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, urls);
}

TEST(PrivateUrls, ErrorsDoNotContainTheUrls) {
  const auto read = PrivateUrlsFromJson(R"({"geheim": 1})");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, Not(HasSubstr("geheim")));
}

TEST(Outcome, SuccessRoundTrips) {
  const auto read = OutcomeFromJson(OutcomeToJson({}));
  ASSERT_TRUE(read);
  EXPECT_TRUE(*read);
}

TEST(Outcome, FailureRoundTrips) {
  const Status failed = Fail(ErrorCode::kUnavailable, "resolving failed\n  no route", "look at it");
  const auto read = OutcomeFromJson(OutcomeToJson(failed));
  ASSERT_TRUE(read);
  ASSERT_FALSE(*read);
  EXPECT_EQ(read->error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(read->error().message, failed.error().message);
  EXPECT_EQ(read->error().hint, "look at it");
}

TEST(Outcome, LongMessagesKeepTheFirstAndLastLines) {
  std::string message = "resolving failed";
  for (int i = 0; i < 100; ++i) message += "\n  line " + std::to_string(i) + std::string(90, '"');
  message += "\n  the reason";
  const std::string json = OutcomeToJson(Fail(ErrorCode::kFailedPrecondition, message));
  EXPECT_LE(json.size(), kTerminationBytes);
  const auto read = OutcomeFromJson(json);
  ASSERT_TRUE(read);
  ASSERT_FALSE(*read);
  EXPECT_THAT(read->error().message, StartsWith("resolving failed\n  […]\n"));
  EXPECT_THAT(read->error().message, EndsWith("\n  the reason"));
}

TEST(Outcome, TruncatesBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 4000; ++i) line += "ä";
  const auto read = OutcomeFromJson(OutcomeToJson(Fail(ErrorCode::kInternal, "x" + line, line)));
  ASSERT_TRUE(read);
  ASSERT_FALSE(*read);
  EXPECT_THAT(read->error().message, StartsWith("xää"));
  EXPECT_THAT(read->error().message, EndsWith("ä…"));
}

TEST(Outcome, RejectsInvalidText) {
  for (const char* const text :
       {"", "killed", "{}", R"({"code": "WHATEVER", "message": "", "hint": ""})"}) {
    EXPECT_FALSE(OutcomeFromJson(text)) << text;
  }
}

}  // namespace
}  // namespace kinetic::pod
