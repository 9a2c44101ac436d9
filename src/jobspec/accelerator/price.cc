#include "jobspec/accelerator/price.h"

#include "kinetic/prices.h"
#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "json/document.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace kinetic::jobspec {
namespace {

/// As ChipPrice, with the date at which Google listed the prices. Those of Spot nodes change each
/// month.
struct ListedChip {
  std::string_view generation;
  std::string_view region;
  double on_demand;
  double flex_start;
  std::string_view date;
};

/// @source  https://cloud.google.com/tpu/pricing
constexpr std::array<ListedChip, 18> kChipPrices{{
    {"v5litepod", "us-central1", 1.20, 0, "2024-12-23"},
    {"v5litepod", "us-east5", 1.20, 0, "2024-12-23"},
    {"v5litepod", "us-west4", 1.20, 0, "2024-12-23"},
    {"v5litepod", "us-west1", 1.20, 0, "2024-12-23"},
    {"v5litepod", "us-south1", 1.416, 0, "2024-12-23"},
    {"v5litepod", "europe-west1", 1.3213, 0, "2024-12-23"},
    {"v5litepod", "europe-west4", 1.56, 0, "2024-12-23"},
    {"v5litepod", "asia-southeast1", 1.56, 0, "2024-12-23"},
    {"v6e", "us-east1", 2.70, 0, "2024-12-23"},
    {"v6e", "us-east5", 2.70, 1.35, "2026-08-07"},
    {"v6e", "europe-west4", 2.97, 1.35, "2026-08-25"},
    {"v6e", "asia-northeast1", 3.24, 0, "2026-08-07"},
    {"v5p", "us-east5", 4.20, 0, "2024-12-23"},
    {"v5p", "us-east1", 4.20, 0, "2024-12-23"},
    {"v4", "us-central2", 3.22, 0, "2024-12-23"},
    {"tpu7x", "us-central1", 12.00, 0, "2026-06-14"},
    {"tpu7x", "us-east1", 12.00, 0, "2026-06-14"},
    {"tpu7x", "us-west1", 12.00, 0, "2026-06-14"},
}};

/// A GPU with its share of the machine, in us-central1. Other regions differ by a few percent. Of
/// two rows for a generation, the first one is for a single machine type.
///
/// @source  https://cloud.google.com/compute/all-pricing
struct ListedGpu {
  std::string_view generation;
  double on_demand;
  double flex_start;
  std::string_view date;
  std::string_view only = "";
};

constexpr std::array<ListedGpu, 14> kGpuPrices{{
    {"l4", 0.7068, 0, "2026-08-19", "g2-standard-4"},
    {"l4", 1.0004, 0, "2026-08-19"},
    {"t4", 0.54, 0, "2026-08-19"},
    {"p4", 0.79, 0, "2026-08-19"},
    {"p100", 1.65, 0, "2026-08-19"},
    {"v100", 2.86, 0, "2026-08-19"},
    {"a100", 3.4837, 0, "2026-08-19", "a2-megagpu-16g"},
    {"a100", 3.6734, 0, "2026-08-19"},
    {"a100-80gb", 5.0688, 0, "2026-08-19"},
    {"h100", 11.0613, 0, "2026-09-17"},
    {"h100-mega", 11.6751, 0, "2026-09-17"},
    {"h200", 10.6009, 0, "2026-09-17"},
    {"b200", 0, 8.055, "2026-09-17"},  // not offered on demand
    {"rtx-pro-6000", 4.4999, 0, "2026-09-17"},
}};

/// A virtual processor with 4 GB of memory. Regions that are not listed have at most the price of
/// their continent.
struct ListedE2 {
  std::string_view region;  ///< or the start of several
  double on_demand;
};

constexpr std::string_view kE2Date = "2026-08-19";
constexpr std::array<ListedE2, 12> kE2Prices{{{"us-central", 0.033506},
                                              {"us-east4", 0.037735},
                                              {"us-east", 0.033506},
                                              {"us-west1", 0.033506},
                                              {"us-west4", 0.037735},
                                              {"us-", 0.040245},
                                              {"europe-west4", 0.036886},
                                              {"europe-", 0.043891},
                                              {"asia-northeast1", 0.042983},
                                              {"asia-southeast1", 0.041333},
                                              {"asia-", 0.046881},
                                              {"", 0.053609}}};

/// Returns one of the prices in a row of a list; the built-in lists have none of Spot nodes.
template <typename Row>
std::optional<double> PriceIn(const Row& row, Provisioning provisioning) {
  double price = provisioning == Provisioning::kFlexStart ? row.flex_start : 0;
  if (provisioning == Provisioning::kOnDemand) price = row.on_demand;
  if constexpr (requires { row.spot; }) {
    if (provisioning == Provisioning::kSpot) price = row.spot;
  }
  return price > 0 ? std::optional(price) : std::nullopt;
}

std::optional<Price> TimesChips(std::optional<double> price, const Accelerator& accelerator,
                                std::string_view date) {
  if (!price) return std::nullopt;
  return Price{*price * accelerator.chips / accelerator.hosts, std::string(date)};
}

std::optional<Price> GpuPrice(const Accelerator& gpu, Provisioning provisioning) {
  const auto* const row = std::ranges::find_if(kGpuPrices, [&](const ListedGpu& each) {
    return each.generation == gpu.generation &&
           (each.only.empty() || each.only == gpu.machine_type);
  });
  if (row == kGpuPrices.end()) return std::nullopt;
  return TimesChips(PriceIn(*row, provisioning), gpu, row->date);
}

template <typename Rows>
auto FindChip(const Rows& rows, const Accelerator& tpu, std::string_view region) {
  return std::ranges::find_if(rows, [&](const auto& each) {
    return each.generation == tpu.generation && each.region == region;
  });
}

/// Returns the newer of the listed price and that of the catalog.
std::optional<Price> TpuPrice(const Prices& prices, const Accelerator& tpu, std::string_view region,
                              Provisioning provisioning) {
  std::optional<Price> price;
  if (const auto* const row = FindChip(kChipPrices, tpu, region); row != kChipPrices.end())
    price = TimesChips(PriceIn(*row, provisioning), tpu, row->date);
  if (const auto row = FindChip(prices.tpu, tpu, region); row != prices.tpu.end())
    if (auto read = TimesChips(PriceIn(*row, provisioning), tpu, prices.date))
      if (!price || read->date > price->date) price = std::move(read);
  return price;
}

/// Returns whether the text is a date, such as 2026-11-28. Dates are ordered as text.
bool IsDate(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  return std::ranges::equal(
      text, kForm, [](char c, char form) { return form == '-' ? c == '-' : c >= '0' && c <= '9'; });
}

}  // namespace

std::string MachineOf(const Accelerator& accelerator) {
  return accelerator.machine_type.empty() ? std::string(kCpuMachine) : accelerator.machine_type;
}

std::optional<Price> E2Price(std::string_view machine_type, std::string_view region) {
  constexpr std::string_view kSeries = "e2-standard-";
  if (!machine_type.starts_with(kSeries)) return std::nullopt;
  const auto processors = ParseInt(machine_type.substr(kSeries.size()));
  const auto* const row = std::ranges::find_if(
      kE2Prices, [&](const ListedE2& each) { return region.starts_with(each.region); });
  return Price{row->on_demand * static_cast<double>(processors.value_or(0)), std::string(kE2Date)};
}

std::optional<Price> NodePrice(const Prices& prices, const Accelerator& accelerator,
                               std::string_view region, Provisioning provisioning) {
  if (accelerator.kind == AcceleratorKind::kTpu)
    return TpuPrice(prices, accelerator, region, provisioning);
  if (accelerator.kind == AcceleratorKind::kGpu) return GpuPrice(accelerator, provisioning);
  if (provisioning != Provisioning::kOnDemand) return std::nullopt;
  return E2Price(kCpuMachine, region);
}

}  // namespace kinetic::jobspec

namespace kinetic::inline v0 {

std::string_view Name(Provisioning provisioning) {
  switch (provisioning) {
    case Provisioning::kSpot:
      return "spot";
    case Provisioning::kFlexStart:
      return "flex_start";
    default:
      return "on_demand";
  }
}

std::optional<Price> PriceOf(const Prices& prices, const Accelerator& accelerator,
                             std::string_view region, Provisioning provisioning) {
  auto price = jobspec::NodePrice(prices, accelerator, region, provisioning);
  if (price) price->dollars_per_hour *= accelerator.hosts;
  return price;
}

std::chrono::days AgeOf(std::string_view date, std::chrono::system_clock::time_point now) {
  const auto listed = ParseTime(std::string(date) + "T00:00:00Z");
  return std::chrono::floor<std::chrono::days>(now - listed.value_or(WallTime{}));
}

std::string ToJson(const Prices& prices) {
  Value::List rows;
  for (const ChipPrice& price : prices.tpu) {
    rows.emplace_back(Value::Map{{"generation", price.generation},
                                 {"region", price.region},
                                 {"on_demand", price.on_demand},
                                 {"spot", price.spot},
                                 {"flex_start", price.flex_start}});
  }
  return Value(Value::Map{{"date", prices.date}, {"tpu", std::move(rows)}}).ToJson();
}

Result<Prices> PricesFromJson(std::string_view text) {
  KINETIC_ASSIGN_OR_RETURN(const Value document, json::ReadDocument(text, "prices"));
  json::ObjectReader reader(document, "prices");
  Prices prices{.date = reader.String("date"), .tpu = {}};
  for (const Value& each : reader.List("tpu")) {
    json::ObjectReader row(each, "prices: tpu");
    prices.tpu.push_back({.generation = row.String("generation"),
                          .region = row.String("region"),
                          .on_demand = row.Number("on_demand"),
                          .spot = row.Number("spot"),
                          .flex_start = row.Number("flex_start")});
    KINETIC_RETURN_IF_ERROR(row.Finish());
  }
  if (!jobspec::IsDate(prices.date)) reader.Reject("date", "expected a date: 2026-11-28");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return prices;
}

}  // namespace kinetic::inline v0
