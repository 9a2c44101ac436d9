#include "provision/resources/pool_difference.h"

#include "kinetic/accelerator.h"

#include <gmock/gmock.h>

namespace kinetic::provision {
namespace {

Value Existing(std::string_view json) { return *Value::FromJson(json); }

NodePoolSpec Pool(std::string_view accelerator) {
  return {.name = "pool", .accelerator = *ParseAccelerator(accelerator)};
}

TEST(PoolDifference, EqualPoolHasNone) {
  EXPECT_EQ(PoolDifference(Existing(R"({"config":{"machineType":"ct5lp-hightpu-1t"}})"),
                           Pool("v5litepod-1")),
            "");
}

TEST(PoolDifference, NamesEveryDifference) {
  NodePoolSpec spot = Pool("v5litepod-4");
  spot.spot = true;
  EXPECT_EQ(PoolDifference(Existing(R"({"config":{"machineType":"ct5lp-hightpu-1t"}})"), spot),
            "has machine type ct5lp-hightpu-1t instead of ct5lp-hightpu-4t, has no Spot nodes");
}

TEST(PoolDifference, SlicesOfTheMachineTypeHaveATopology) {
  const auto slice = Existing(R"({"config":{"machineType":"ct5lp-hightpu-4t"},)"
                              R"("placementPolicy":{"type":"COMPACT","tpuTopology":"4x4"}})");
  EXPECT_EQ(PoolDifference(slice, Pool("v5litepod-4")), "has topology 4x4");
}

TEST(PoolDifference, ComparesReservationsByName) {
  const auto existing =
      Existing(R"({"config":{"machineType":"ct5lp-hightpu-1t","reservationAffinity":{)"
               R"("consumeReservationType":"SPECIFIC_RESERVATION","key":"k","values":)"
               R"(["projects/p/reservations/team"]}}})");
  NodePoolSpec pool = Pool("v5litepod-1");
  EXPECT_EQ(PoolDifference(existing, pool), "has reservation team");
  pool.reservation = "team";
  EXPECT_EQ(PoolDifference(existing, pool), "");
  pool.reservation = "projects/p/reservations/team";
  EXPECT_EQ(PoolDifference(existing, pool), "");
  pool.reservation = "other";
  EXPECT_EQ(PoolDifference(existing, pool), "has reservation team instead of other");
  pool.reservation = "team/reservationBlocks/b";
  EXPECT_EQ(PoolDifference(existing, pool),
            "has reservation team instead of team/reservationBlocks/b");
}

TEST(PoolDifference, ComparesFlexStart) {
  const auto existing =
      Existing(R"({"config":{"machineType":"ct5lp-hightpu-1t","flexStart":true,)"
               R"("reservationAffinity":{"consumeReservationType":"NO_RESERVATION"}}})");
  EXPECT_EQ(PoolDifference(existing, Pool("v5litepod-1")), "has flex-start");
}

TEST(PoolDifference, ComparesGpus) {
  const auto existing = Existing(R"({"config":{"machineType":"g2-standard-4","accelerators":[)"
                                 R"({"acceleratorCount":"1","acceleratorType":"nvidia-l4"}]}})");
  EXPECT_EQ(PoolDifference(existing, Pool("l4")), "");
}

TEST(PoolDifference, IgnoresWhatWasNotRequestedOfASingleHost) {
  const auto existing =
      Existing(R"({"config":{"machineType":"ct5lp-hightpu-8t","accelerators":[{"acceleratorCount":)"
               R"("8","acceleratorType":"tpu-v5-lite-podslice"}]},)"
               R"("placementPolicy":{"tpuTopology":"2x4"}})");
  EXPECT_EQ(PoolDifference(existing, Pool("v5litepod-8")), "");
  EXPECT_EQ(SliceNodes(existing), 0U);
}

TEST(SliceNodes, IsTheTopologyDividedByTheChipsOfANode) {
  EXPECT_EQ(SliceNodes(Existing(R"({"config":{"machineType":"ct5lp-hightpu-4t"},)"
                                R"("placementPolicy":{"tpuTopology":"4x8"}})")),
            8U);
  EXPECT_EQ(SliceNodes(Existing(R"({"config":{"machineType":"ct5p-hightpu-4t"},)"
                                R"("placementPolicy":{"tpuTopology":"2x4x16"}})")),
            32U);
  EXPECT_EQ(SliceNodes(Existing(R"({"config":{"machineType":"ct5lp-hightpu-4t"}})")), 0U);
}

TEST(SliceNodes, AreTheOnlyMaximum) {
  EXPECT_TRUE(CheckSliceSize("slice", 4, 4));
  EXPECT_TRUE(CheckSliceSize("single", 0, 9));
  EXPECT_EQ(CheckSliceSize("slice", 4, 8).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kinetic::provision
