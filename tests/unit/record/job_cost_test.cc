#include "kinetic/job_cost.h"

#include "record/job_cost.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace kinetic::record {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class JobCostTest : public testing::Test {
 protected:
  JobCostTest() {
    job_.accelerator = "v5litepod-4";
    job_.state = JobState::kSucceeded;
    job_.price = JobPrice{.region = "us-west4",
                          .provisioning = Provisioning::kOnDemand,
                          .price = Price{4.80, "2026-11-28"}};
    job_.node_time = minutes(30);
  }

  double Dollars(const Prices& prices = {}) const {
    const auto cost = CostOf(job_, prices, now_);
    return cost ? cost->dollars : -1;
  }

  void StoreAttempt(std::uint32_t attempt, milliseconds node_time) {
    StoredOutcome stored;
    stored.job = {"k-1", "n"};
    stored.outcome.state = JobState::kPreempted;
    stored.written_by = "runner";
    stored.node_time = node_time;
    ASSERT_TRUE(store::PutBytes(store_, RunResultName(RunKey("k-1", attempt)), ToJson(stored),
                                store::Precondition::Absent(), {}));
  }

  milliseconds Earlier(std::uint32_t attempt) {
    const auto read = ReadNodeTime(store_, {"k-1", "n"}, attempt, {});
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(milliseconds(-1));
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  WallTime now_ = clock_.Now();
  JobSummary job_;
};

TEST_F(JobCostTest, IsTheTimeOnNodesTimesTheirPrice) {
  const auto cost = CostOf(job_, {}, now_);
  ASSERT_TRUE(cost);
  EXPECT_DOUBLE_EQ(cost->dollars, 2.40);
  EXPECT_EQ(cost->node_time, minutes(30));
  EXPECT_EQ(cost->price, (Price{4.80, "2026-11-28"}));
  EXPECT_FALSE(cost->is_current_price);
}

TEST_F(JobCostTest, DoesNotChangeWithLaterPrices) {
  EXPECT_DOUBLE_EQ(Dollars({"2027-01-01", {{"v5litepod", "us-west4", 9.99, 0, 0}}}), 2.40);
}

TEST_F(JobCostTest, CurrentPriceReplacesAnUnknownOne) {
  job_.price->provisioning = Provisioning::kSpot;
  job_.price->price.reset();
  EXPECT_FALSE(CostOf(job_, {}, now_)) << "the built-in list has no price of Spot nodes";
  const Prices prices{"2026-12-01", {{"v5litepod", "us-west4", 1.20, 0.30, 0}}};
  const auto cost = CostOf(job_, prices, now_);
  ASSERT_TRUE(cost);
  EXPECT_DOUBLE_EQ(cost->dollars, 0.60);
  EXPECT_TRUE(cost->is_current_price);
  EXPECT_EQ(cost->price.date, "2026-12-01");
  job_.accelerator = "v5litepod-4, gpu-l4";
  EXPECT_FALSE(CostOf(job_, prices, now_));
}

TEST_F(JobCostTest, UnfinishedJobCostsItsEarlierAttemptsAndTheTimeUntilNow) {
  job_.state = JobState::kRunning;
  job_.started = now_ - minutes(10);
  EXPECT_DOUBLE_EQ(Dollars(), 4.80 * 40 / 60);
  job_.timeline = {{"created", now_ - hours(5)},
                   {"scheduled", now_ - minutes(15)},
                   {"started", now_ - minutes(10)}};
  EXPECT_DOUBLE_EQ(Dollars(), 4.80 * 45 / 60);
  job_.timeline.pop_back();
  job_.state = JobState::kPending;  // its image is being pulled
  job_.started.reset();
  EXPECT_DOUBLE_EQ(Dollars(), 4.80 * 45 / 60);
  job_.timeline = {{"created", now_ - hours(5)}};  // waits for a node
  EXPECT_DOUBLE_EQ(Dollars(), 2.40);
  job_.started = now_ + seconds(1);  // another clock
  EXPECT_DOUBLE_EQ(Dollars(), 2.40);
}

TEST_F(JobCostTest, EndedJobCostsNothingMore) {
  job_.started = now_ - hours(3);
  job_.timeline = {{"scheduled", now_ - hours(3)}};
  EXPECT_DOUBLE_EQ(Dollars(), 2.40);
}

TEST_F(JobCostTest, TimeOfTheProgramReplacesAnUnknownTimeOnTheNode) {
  job_.node_time = {};
  EXPECT_DOUBLE_EQ(Dollars(), 0) << "it never started";
  job_.started = now_ - hours(2);
  job_.finished = now_ - hours(1);
  EXPECT_DOUBLE_EQ(Dollars(), 4.80);
}

TEST_F(JobCostTest, CostOfAnArrayIsKnownAtItsEnd) {
  job_.tasks = TaskCounts{.tasks = 8};
  EXPECT_DOUBLE_EQ(Dollars(), 2.40);
  job_.state = JobState::kRunning;
  EXPECT_FALSE(CostOf(job_, {}, now_));
}

TEST_F(JobCostTest, JobWithoutPriceHasNoCost) {
  job_.price.reset();
  EXPECT_FALSE(CostOf(job_, {}, now_));
}

TEST_F(JobCostTest, PriceRoundTrips) {
  EXPECT_EQ(JobPriceFrom(JobPriceValue(*job_.price)), job_.price);
  EXPECT_EQ(
      JobPriceValue(*job_.price).ToJson(),
      R"({"region":"us-west4","nodes":"on_demand","dollars_per_hour":4.8,"date":"2026-11-28"})");
  for (const auto provisioning : {Provisioning::kSpot, Provisioning::kFlexStart}) {
    const JobPrice unknown{.region = "us-west4", .provisioning = provisioning};
    EXPECT_EQ(JobPriceFrom(JobPriceValue(unknown)), unknown);
  }
}

TEST_F(JobCostTest, InvalidPricesAreIgnored) {
  for (const char* const json :
       {"null", "[]", "{}", R"({"region":"r","nodes":"free"})", R"({"nodes":"spot"})",
        R"({"region":"r","nodes":"spot","dollars_per_hour":"1","date":"d"})",
        R"({"region":"r","nodes":"spot","dollars_per_hour":1})",
        R"({"region":"r","nodes":"spot","dollars_per_hour":-1,"date":"d"})",
        R"({"region":"r","nodes":"spot","dollars_per_hour":1e300,"date":"d"})"}) {
    EXPECT_FALSE(JobPriceFrom(*Value::FromJson(json))) << json;
  }
}

TEST_F(JobCostTest, InvalidNodeTimesAreIgnored) {
  EXPECT_EQ(NodeTimeFromText("1500"), milliseconds(1500));
  for (const char* const text : {"", "-1", "1.5", "9223372036854775807"})
    EXPECT_EQ(NodeTimeFromText(text), milliseconds(0)) << text;
}

TEST_F(JobCostTest, AttemptHoldsItsNodeFromItsFirstEventThereToItsLast) {
  const auto at = [&](int second) { return now_ + seconds(second); };
  EXPECT_EQ(NodeTimeOf({}), milliseconds(0));
  EXPECT_EQ(NodeTimeOf({{"created", at(0), ""}, {"finished", at(60), ""}}), milliseconds(0));
  EXPECT_EQ(NodeTimeOf({{"created", at(0), ""},
                        {"scheduled", at(30), ""},
                        {"started", at(50), ""},
                        {"finished", at(90), ""}}),
            seconds(60));
  EXPECT_EQ(NodeTimeOf({{"claimed", at(5), ""}, {"ended", at(9), ""}}), seconds(4));
  EXPECT_EQ(NodeTimeOf({{"started", at(5), ""}, {"terminated", at(4), ""}}), milliseconds(0));
}

TEST_F(JobCostTest, LastStoredAttemptHasTheTimeOfAllBefore) {
  EXPECT_EQ(Earlier(1), milliseconds(0));
  EXPECT_EQ(Earlier(4), milliseconds(0));
  StoreAttempt(1, seconds(10));
  StoreAttempt(2, seconds(25));
  EXPECT_EQ(Earlier(1), milliseconds(0));
  EXPECT_EQ(Earlier(2), seconds(10));
  EXPECT_EQ(Earlier(3), seconds(25));
  EXPECT_EQ(Earlier(5), seconds(25)) << "two attempts stored no outcome";
}

}  // namespace
}  // namespace kinetic::record
