#include "runner/flush_schedule.h"

#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class FlushScheduleTest : public ::testing::Test {
 protected:
  /// Flushes when it is due; returns how long that took.
  milliseconds Flush(bool followed = false) {
    schedule_.Grown(10, now_);
    const SteadyTime due = std::max(*schedule_.Due(followed), now_);
    const auto waited = std::chrono::duration_cast<milliseconds>(due - now_);
    now_ = due;
    schedule_.Flushed(now_);
    return waited;
  }

  FlushSchedule schedule_;
  SteadyTime now_{hours(1)};
};

TEST_F(FlushScheduleTest, NothingNewIsNeverDue) {
  EXPECT_FALSE(schedule_.Due(true));
  Flush();
  EXPECT_FALSE(schedule_.Due(true));
}

TEST_F(FlushScheduleTest, TheBeginningComesSoonAndTheRestSeldom) {
  EXPECT_EQ(Flush(), seconds(2));
  EXPECT_EQ(Flush(), seconds(4));
  EXPECT_EQ(Flush(), seconds(8));
  EXPECT_EQ(Flush(), seconds(16));
  EXPECT_EQ(Flush(), seconds(30));
  EXPECT_EQ(Flush(), seconds(30));
}

TEST_F(FlushScheduleTest, WhoFollowsWaitsForTwoSeconds) {
  for (int i = 0; i < 10; ++i) Flush();
  EXPECT_EQ(Flush(true), seconds(2));
  EXPECT_EQ(Flush(true), seconds(2));
  EXPECT_EQ(Flush(false), seconds(30));
}

TEST_F(FlushScheduleTest, MuchDoesNotWaitButAnObjectRests) {
  Flush();
  now_ += hours(1);
  schedule_.Grown(10, now_);
  schedule_.Grown(kFlushBytes, now_ + seconds(1));
  EXPECT_LE(*schedule_.Due(false), now_ + seconds(1));
  schedule_.Flushed(now_ + seconds(1));
  schedule_.Grown(kFlushBytes, now_ + seconds(1));
  EXPECT_EQ(*schedule_.Due(true), now_ + seconds(2));
}

TEST_F(FlushScheduleTest, ADayOfWritingIsLessThanThreeThousandFlushes) {
  const SteadyTime end = now_ + hours(24);
  int flushes = 0;
  while (now_ < end) {
    Flush();
    ++flushes;
  }
  EXPECT_LE(flushes, 3000);
}

}  // namespace
}  // namespace kinetic::runner
