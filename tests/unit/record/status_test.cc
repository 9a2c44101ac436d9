#include "record/status.h"

#include "base/time/clock.h"
#include "sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

using testing::HasSubstr;

TEST(StatusTest, RoundTrips) {
  AttemptStatus status;
  status.id = "k-1";
  status.attempt = 2;
  status.state = JobState::kRunning;
  status.phase = Phase::kRun;
  status.reason = "waiting for 2 jobs";
  status.log_records = 12345;
  status.timeline = {{"claimed", *ParseTime("2030-01-01T00:00:00.000001Z"), ""},
                     {"fetched", *ParseTime("2030-01-01T00:00:01Z"), "12.3 MiB"}};
  const std::string json = ToJson(status);
  const auto read = StatusFromJson(json);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToJson(*read), json);
  EXPECT_EQ(read->attempt, 2U);
  EXPECT_EQ(read->state, JobState::kRunning);
  EXPECT_EQ(read->timeline[1].detail, "12.3 MiB");
  EXPECT_EQ(read->timeline[0].time, status.timeline[0].time);
}

TEST(StatusTest, ReportsInvalidFields) {
  const std::string good = WithoutChecksum(ToJson(AttemptStatus{}));
  const auto read = [&](std::string_view old_text, std::string_view new_text) {
    std::string json = good;
    json.replace(json.find(old_text), old_text.size(), new_text);
    const auto status = StatusFromJson(json);
    EXPECT_FALSE(status) << json;
    return status ? std::string() : status.error().message;
  };
  EXPECT_THAT(read("queued", "quiet"), HasSubstr("status.json: state: unknown state: quiet"));
  EXPECT_THAT(read("\"queue\"", "\"q\""), HasSubstr("status.json: phase: unknown phase: q"));
  EXPECT_THAT(read("\"attempt\": 1", "\"attempt\": -1"), HasSubstr("attempt: is out of range"));
  EXPECT_THAT(read("\"attempt\": 1", "\"attempt\": 4294967296"), HasSubstr("attempt: is out of"));
  EXPECT_THAT(read("\"log_records\": 0", "\"log_records\": -5"), HasSubstr("is negative"));
}

}  // namespace
}  // namespace kinetic::record
