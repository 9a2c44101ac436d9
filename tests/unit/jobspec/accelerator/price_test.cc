#include "jobspec/accelerator/price.h"

#include "kinetic/prices.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

const Prices kNewer{"2026-11-28", {{"v5litepod", "us-west4", 1.5, 0}, {"v5p", "us-moon1", 9, 4}}};

TEST(PriceTest, CountsTheChipsOfAllNodes) {
  const auto price = PriceOf({}, *ParseAccelerator("v5litepod-16"), "us-west4", false);
  ASSERT_TRUE(price);
  EXPECT_DOUBLE_EQ(price->dollars_per_hour, 16 * 1.2);
  EXPECT_EQ(price->date, jobspec::kPriceDate);
}

TEST(PriceTest, PrefersNewerPricesWhereThereAreAny) {
  const Accelerator chip = *ParseAccelerator("v5litepod-1");
  const auto newer = PriceOf(kNewer, chip, "us-west4", false);
  ASSERT_TRUE(newer);
  EXPECT_DOUBLE_EQ(newer->dollars_per_hour, 1.5);
  EXPECT_EQ(newer->date, "2026-11-28");
  const auto spot = PriceOf(kNewer, chip, "us-west4", true);  // unknown in the newer list
  ASSERT_TRUE(spot);
  EXPECT_DOUBLE_EQ(spot->dollars_per_hour, 0.51);
  EXPECT_EQ(spot->date, jobspec::kPriceDate);
  EXPECT_TRUE(PriceOf(kNewer, *ParseAccelerator("v5p-8"), "us-moon1", true));
  EXPECT_FALSE(PriceOf({}, *ParseAccelerator("v5p-8"), "us-moon1", true));
}

TEST(PriceTest, IgnoresPricesThatAreOlderThanTheList) {
  Prices old = kNewer;
  old.date = "2024-01-01";
  const auto price = PriceOf(old, *ParseAccelerator("v5litepod-1"), "us-west4", false);
  ASSERT_TRUE(price);
  EXPECT_DOUBLE_EQ(price->dollars_per_hour, 1.2);
}

TEST(PriceTest, SurvivesJson) {
  EXPECT_EQ(*PricesFromJson(ToJson(kNewer)), kNewer);
  EXPECT_FALSE(PricesFromJson(R"({"date": "2026-11-28", "tpu": [{"region": 1}]})"));
  EXPECT_FALSE(PricesFromJson(R"({"date": "soon", "tpu": []})"));
  EXPECT_FALSE(PricesFromJson("{"));
}

}  // namespace
}  // namespace kinetic
