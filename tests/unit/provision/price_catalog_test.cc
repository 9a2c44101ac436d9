#include "provision/price_catalog.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::provision {
namespace {

/// An entry of the catalog with a price of $1.25.
struct Entry {
  std::string description = "TpuV5e in Las Vegas";
  std::string usage = "OnDemand";
  std::string regions = R"(["us-west4"])";
  std::string unit = "h";
  int dollars = 1;
};

void Add(const Entry& entry, std::vector<ChipPrice>& list) {
  const auto sku = Value::FromJson(fmt::format(
      R"({{"description": "{}", "category": {{"usageType": "{}"}}, "serviceRegions": {},
          "pricingInfo": [{{"pricingExpression": {{"usageUnit": "{}", "tieredRates": [
              {{"unitPrice": {{"units": "{}", "nanos": 250000000}}}}]}}}}]}})",
      entry.description, entry.usage, entry.regions, entry.unit, entry.dollars));
  ASSERT_TRUE(sku) << sku.error().message;
  AddCatalogEntry(*sku, list);
}

std::vector<ChipPrice> PricesIn(const Entry& entry) {
  std::vector<ChipPrice> list;
  Add(entry, list);
  return list;
}

using Prices = std::vector<ChipPrice>;

TEST(PriceCatalog, RecognizesTpusByTheirDescription) {
  EXPECT_EQ(PricesIn({}), (Prices{{"v5litepod", "us-west4", 1.25, 0}}));
  EXPECT_EQ(PricesIn({.description = "TPU v6e running in Ohio"}),
            (Prices{{"v6e", "us-west4", 1.25, 0}}));
  EXPECT_EQ(PricesIn({.description = "Tpu-v5p"}), (Prices{{"v5p", "us-west4", 1.25, 0}}));
  EXPECT_TRUE(PricesIn({.description = "Nvidia L4 GPU"}).empty());
  EXPECT_TRUE(PricesIn({.description = "Tpu-v4 Pod"}).empty());
}

TEST(PriceCatalog, SeparatesSpotPrices) {
  for (const Entry& spot : {Entry{.description = "TpuV5e Preemptible"},
                            Entry{.description = "TPU v5e attached to Spot Preemptible VMs"},
                            Entry{.usage = "Preemptible"}})
    EXPECT_EQ(PricesIn(spot), (Prices{{"v5litepod", "us-west4", 0, 1.25}})) << spot.description;
}

TEST(PriceCatalog, SeparatesFlexStartPrices) {
  for (const char* text : {"DWS Defined Duration V5e running in Ohio", "TpuV5e Flex Start"})
    EXPECT_EQ(PricesIn({.description = text}), (Prices{{"v5litepod", "us-west4", 0, 0, 1.25}}))
        << text;
}

TEST(PriceCatalog, IgnoresOtherPrices) {
  for (const Entry& other :
       {Entry{.description = "Commitment - TpuV5e for 1 Year"}, Entry{.usage = "Commit3Yr"},
        Entry{.description = "Reserved TpuV5e"}, Entry{.description = "DWS Calendar Mode TpuV5e"},
        Entry{.description = "Capacity Optimized TpuV5e in Ohio"}, Entry{.unit = "mo"},
        Entry{.regions = "[]"}, Entry{.regions = "7"}})
    EXPECT_TRUE(PricesIn(other).empty()) << other.description;
  std::vector<ChipPrice> list;
  AddCatalogEntry(Value(7), list);
  AddCatalogEntry(Value(Value::Map{{"description", "TpuV5e"}}), list);
  EXPECT_TRUE(list.empty());
}

TEST(PriceCatalog, AddsEveryRegionAndKeepsTheHighestPrice) {
  std::vector<ChipPrice> list;
  Add({.regions = R"(["us-west4", "us-east5"])"}, list);
  Add({.dollars = 3}, list);
  Add({.dollars = 2}, list);
  EXPECT_EQ(list, (Prices{{"v5litepod", "us-west4", 3.25, 0}, {"v5litepod", "us-east5", 1.25, 0}}));
}

}  // namespace
}  // namespace kinetic::provision
