#include "job/summary.h"

#include "support/fake_clock.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kinetic::job {
namespace {

class SummaryTest : public testing::Test {
 protected:
  SummaryTest() {
    known_.state = JobState::kRunning;
    known_.attempt = 1;
    known_.started = clock_.Now();
    seen_.alive = true;
    seen_.status.state = JobState::kRunning;
    seen_.status.attempt = 1;
  }

  std::optional<WallTime> Started() const { return WithObservation(known_, seen_).started; }

  test::FakeClock clock_;
  JobSummary known_;
  backend::Observation seen_;
};

TEST_F(SummaryTest, StartIsThatOfTheObservation) {
  const WallTime later = clock_.Now() + std::chrono::seconds(5);
  seen_.status.timeline = {{"started", later, ""}};
  EXPECT_EQ(Started(), later);
}

TEST_F(SummaryTest, KeepsAStartThatTheObservationDoesNotHave) {
  EXPECT_EQ(Started(), clock_.Now());
  seen_.status.attempt = 2;
  EXPECT_FALSE(Started()) << "that of an earlier attempt";
  seen_.status.attempt = 1;
  seen_.status.state = JobState::kPending;
  EXPECT_FALSE(Started());
}

}  // namespace
}  // namespace kinetic::job
