#include "jobspec/accelerator/price.h"

#include "kinetic/prices.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kinetic {
namespace {

constexpr auto kOnDemand = Provisioning::kOnDemand;
constexpr auto kSpot = Provisioning::kSpot;
constexpr auto kFlexStart = Provisioning::kFlexStart;

const Prices kNewer{"2026-11-28",
                    {{"v5litepod", "us-west4", 1.5, 0, 0}, {"v5p", "us-moon1", 9, 4, 2}}};

double Dollars(const Prices& prices, std::string_view accelerator, Provisioning provisioning,
               std::string_view region = "us-west4") {
  const auto price = PriceOf(prices, *ParseAccelerator(accelerator), region, provisioning);
  return price ? price->dollars_per_hour : 0;
}

TEST(PriceTest, CountsTheChipsOfAllNodes) {
  const auto price = PriceOf({}, *ParseAccelerator("v5litepod-16"), "us-west4", kOnDemand);
  ASSERT_TRUE(price);
  EXPECT_DOUBLE_EQ(price->dollars_per_hour, 16 * 1.2);
  EXPECT_EQ(price->date, "2024-12-23");
}

TEST(PriceTest, PrefersNewerPricesWhereThereAreAny) {
  const Accelerator chip = *ParseAccelerator("v5litepod-1");
  const auto newer = PriceOf(kNewer, chip, "us-west4", kOnDemand);
  ASSERT_TRUE(newer);
  EXPECT_DOUBLE_EQ(newer->dollars_per_hour, 1.5);
  EXPECT_EQ(newer->date, "2026-11-28");
  EXPECT_DOUBLE_EQ(Dollars(kNewer, "v5p-8", kSpot, "us-moon1"), 4 * 4);
  EXPECT_DOUBLE_EQ(Dollars(kNewer, "v5p-8", kFlexStart, "us-moon1"), 4 * 2);
  EXPECT_DOUBLE_EQ(Dollars({}, "v5p-8", kSpot, "us-moon1"), 0);
}

TEST(PriceTest, IgnoresPricesThatAreOlderThanTheList) {
  Prices old = kNewer;
  old.date = "2024-01-01";
  EXPECT_DOUBLE_EQ(Dollars(old, "v5litepod-1", kOnDemand), 1.2);
}

TEST(PriceTest, ListHasNoSpotPriceAndEveryGpu) {
  for (const Accelerator& each : Accelerators()) {
    for (const char* region : {"us-west4", "us-east5", "europe-west4", "us-central1"})
      EXPECT_FALSE(PriceOf({}, each, region, kSpot)) << each.name;
    if (each.kind != AcceleratorKind::kGpu) continue;
    const bool offered = each.generation != "b200";
    EXPECT_EQ(PriceOf({}, each, "us-central1", kOnDemand).has_value(), offered) << each.name;
  }
  EXPECT_DOUBLE_EQ(Dollars({}, "a100x16", kOnDemand), 16 * 3.4837);
  EXPECT_DOUBLE_EQ(Dollars({}, "gpu-l4", kOnDemand), 0.7068);
  EXPECT_DOUBLE_EQ(Dollars({}, "gpu-l4x2", kOnDemand), 2 * 1.0004);
  EXPECT_DOUBLE_EQ(Dollars({}, "v6e-8", kFlexStart, "us-east5"), 8 * 1.35);
  EXPECT_DOUBLE_EQ(Dollars({}, "tpu7x-8", kOnDemand, "us-central1"), 4 * 12.0);
}

TEST(PriceTest, E2DiffersByRegion) {
  const auto price = [](std::string_view machine, std::string_view region) {
    return jobspec::E2Price(machine, region)->dollars_per_hour;
  };
  EXPECT_NEAR(price("e2-standard-4", "us-central1"), 0.134, 0.0005);
  EXPECT_NEAR(price("e2-standard-4", "europe-west4"), 0.1475, 0.0005);
  EXPECT_GT(price("e2-standard-4", "africa-south1"), price("e2-standard-4", "us-west3"));
  EXPECT_FALSE(jobspec::E2Price("n2-standard-4", "us-central1"));
}

TEST(PriceTest, HasAnAge) {
  const auto now = std::chrono::sys_days(std::chrono::year{2026} / 11 / 29) + std::chrono::hours{5};
  EXPECT_EQ(AgeOf("2026-11-28", now), std::chrono::days{1});
  EXPECT_GT(AgeOf("", now), std::chrono::days{1000});
}

TEST(PriceTest, SurvivesJson) {
  EXPECT_EQ(*PricesFromJson(ToJson(kNewer)), kNewer);
  EXPECT_FALSE(PricesFromJson(R"({"date": "2026-11-28", "tpu": [{"region": 1}]})"));
  EXPECT_FALSE(PricesFromJson(R"({"date": "soon", "tpu": []})"));
  EXPECT_FALSE(PricesFromJson("{"));
}

}  // namespace
}  // namespace kinetic
