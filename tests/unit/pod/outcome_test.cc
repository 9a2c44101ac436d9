#include "pod/outcome.h"

#include <gmock/gmock.h>

namespace kinetic::pod {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

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
