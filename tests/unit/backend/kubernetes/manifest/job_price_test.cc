#include "backend/kubernetes/manifest/job_price.h"

#include <gmock/gmock.h>

namespace kinetic::backend {
namespace {

class JobPriceTest : public testing::Test {
 protected:
  void SetUp() override {
    spec_.accelerators = {*ParseAccelerator("v5litepod-4")};
    cluster_.location = "us-west4-a";
  }

  std::optional<JobPrice> Price(const Prices& prices = {}) const {
    return JobPriceOf(spec_, cluster_, prices);
  }

  JobSpec spec_;
  ClusterProfile cluster_;
};

TEST_F(JobPriceTest, IsThatOfTheRegion) {
  const auto price = Price();
  ASSERT_TRUE(price);
  EXPECT_EQ(price->region, "us-west4");
  EXPECT_EQ(price->provisioning, Provisioning::kOnDemand);
  ASSERT_TRUE(price->price);
  EXPECT_DOUBLE_EQ(price->price->dollars_per_hour, 4.80);
  EXPECT_EQ(price->price->date, "2024-12-23");
}

TEST_F(JobPriceTest, ClusterMayHaveARegionAsItsLocation) {
  cluster_.location = "us-west4";
  EXPECT_EQ(Price()->region, "us-west4");
  EXPECT_TRUE(Price()->price);
}

TEST_F(JobPriceTest, JobWithoutAcceleratorHasThePriceOfItsMachine) {
  spec_.accelerators = {*ParseAccelerator("cpu")};
  ASSERT_TRUE(Price() && Price()->price);
  EXPECT_NEAR(Price()->price->dollars_per_hour, 0.15, 0.01);
}

TEST_F(JobPriceTest, PriceOfSpotNodesMayBeUnknown) {
  spec_.spot = true;
  ASSERT_TRUE(Price());
  EXPECT_EQ(Price()->provisioning, Provisioning::kSpot);
  EXPECT_FALSE(Price()->price);
  const auto known = Price({"2026-11-28", {{"v5litepod", "us-west4", 1.20, 0.30, 0}}});
  ASSERT_TRUE(known && known->price);
  EXPECT_DOUBLE_EQ(known->price->dollars_per_hour, 1.20);
}

TEST_F(JobPriceTest, ClusterWithoutLocationHasNone) {
  cluster_.location.clear();
  EXPECT_FALSE(Price());
}

TEST_F(JobPriceTest, OneOfSeveralAcceleratorsHasNone) {
  spec_.accelerators.push_back(*ParseAccelerator("gpu-l4"));
  EXPECT_FALSE(Price());
}

}  // namespace
}  // namespace kinetic::backend
