#include "backend/kubernetes/manifest/cost_limit.h"

#include <gmock/gmock.h>

namespace kinetic::backend {
namespace {

using testing::HasSubstr;

class CostLimitTest : public testing::Test {
 protected:
  void SetUp() override {
    spec_.accelerators = {*ParseAccelerator("v5litepod-4")};
    spec_.max_cost = "9.60 USD";
    cluster_.location = "us-west4-a";
  }

  JobSpec spec_;
  ClusterProfile cluster_;
};

TEST_F(CostLimitTest, IsTheTimeThatTheMoneyBuys) {
  EXPECT_EQ(*CostLimit(spec_, cluster_, {}), std::chrono::hours(2));  // $1.20 for each of 4 chips
}

TEST_F(CostLimitTest, ClusterMayHaveARegionAsItsLocation) {
  cluster_.location = "us-west4";
  EXPECT_EQ(*CostLimit(spec_, cluster_, {}), std::chrono::hours(2));
}

TEST_F(CostLimitTest, UsesNewerPrices) {
  const Prices prices{"2026-11-28", {{"v5litepod", "us-west4", 0.60, 0, 0}}};
  EXPECT_EQ(*CostLimit(spec_, cluster_, prices), std::chrono::hours(4));
}

TEST_F(CostLimitTest, IsSharedByAllAttempts) {
  spec_.retry.attempts = 2;
  EXPECT_EQ(*CostLimit(spec_, cluster_, {}), std::chrono::hours(1));
}

TEST_F(CostLimitTest, IsSharedByAllTasks) {
  spec_.array = ArraySpec{.count = 8};
  EXPECT_EQ(*CostLimit(spec_, cluster_, {}), std::chrono::minutes(15));
}

TEST_F(CostLimitTest, AssumesTheMostExpensiveAccelerator) {
  spec_.accelerators.insert(spec_.accelerators.begin(), *ParseAccelerator("v5litepod-1"));
  EXPECT_EQ(*CostLimit(spec_, cluster_, {}), std::chrono::hours(2));
}

TEST_F(CostLimitTest, CountsAllHostsOfASlice) {
  spec_.accelerators = {*ParseAccelerator("v5litepod-16")};
  EXPECT_EQ(*CostLimit(spec_, cluster_, {}), std::chrono::minutes(30));
}

TEST_F(CostLimitTest, EachWayOfProvisioningHasItsPrice) {
  const Prices prices{"2026-11-28", {{"v5litepod", "us-west4", 1.20, 0.30, 0.60}}};
  spec_.spot = true;
  EXPECT_EQ(*CostLimit(spec_, cluster_, prices), std::chrono::hours(8));
  EXPECT_THAT(CostLimit(spec_, cluster_, {}).error().message, HasSubstr("v5litepod-4 (Spot)"));
  spec_.spot = false;
  spec_.flex_start = true;
  EXPECT_EQ(*CostLimit(spec_, cluster_, prices), std::chrono::hours(4));
  EXPECT_THAT(CostLimit(spec_, cluster_, {}).error().message, HasSubstr("(flex-start)"));
}

TEST_F(CostLimitTest, UnknownPricesAndCurrenciesAreRefused) {
  cluster_.location = "us-nowhere1-a";
  EXPECT_THAT(CostLimit(spec_, cluster_, {}).error().message,
              HasSubstr("no price is known for v5litepod-4 in us-nowhere1"));
  cluster_.location = "";
  EXPECT_THAT(CostLimit(spec_, cluster_, {}).error().message, HasSubstr("on this cluster"));
  spec_.max_cost = "5 EUR";
  EXPECT_THAT(CostLimit(spec_, cluster_, {}).error().message, HasSubstr("USD only"));
}

}  // namespace
}  // namespace kinetic::backend
