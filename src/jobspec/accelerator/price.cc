#include "jobspec/accelerator/price.h"

#include "kinetic/prices.h"
#include "kinetic/try.h"
#include "kinetic/value.h"

#include "json/document.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace kinetic::jobspec {
namespace {

/// As ChipPrice.
struct ListedChip {
  std::string_view generation;
  std::string_view region;
  double on_demand;
  double spot;
};

/// @source  https://cloud.google.com/tpu/pricing
constexpr std::array<ListedChip, 15> kChipPrices{{
    {"v5litepod", "us-central1", 1.20, 0.63},
    {"v5litepod", "us-east5", 1.20, 0.60},
    {"v5litepod", "us-west4", 1.20, 0.51},
    {"v5litepod", "us-west1", 1.20, 0},
    {"v5litepod", "us-south1", 1.416, 0},
    {"v5litepod", "europe-west1", 1.3213, 0},
    {"v5litepod", "europe-west4", 1.56, 0.663},
    {"v5litepod", "asia-southeast1", 1.56, 0},
    {"v6e", "us-east1", 2.70, 1.89},
    {"v6e", "us-east5", 2.70, 1.89},
    {"v6e", "europe-west4", 2.97, 2.08},
    {"v6e", "asia-northeast1", 3.24, 2.27},
    {"v5p", "us-east5", 4.20, 2.415},
    {"v5p", "us-east1", 4.20, 2.10},
    {"v4", "us-central2", 3.22, 0},
}};

/// A machine type in us-central1, in US dollars per hour. Other regions differ by a few percent.
///
/// @source  https://cloud.google.com/compute/all-pricing
struct MachinePrice {
  std::string_view machine_type;
  double on_demand;
  double spot;
};

constexpr std::array<MachinePrice, 8> kMachinePrices{{
    {"e2-standard-2", 0.067, 0},
    {"e2-standard-4", 0.134, 0},
    {"g2-standard-4", 0.7068, 0},
    {"g2-standard-96", 8.0033, 3.1488},
    {"a2-highgpu-1g", 3.6734, 1.293},
    {"a2-ultragpu-1g", 5.0688, 2.0275},
    {"a3-highgpu-1g", 11.0612, 4.4245},
    {"a3-highgpu-8g", 88.49, 0},
}};

std::optional<double> Known(double price) {
  return price > 0 ? std::optional(price) : std::nullopt;
}

std::optional<Price> ListedPrice(std::optional<double> dollars) {
  return dollars ? std::optional(Price{*dollars, std::string(kPriceDate)}) : std::nullopt;
}

std::optional<Price> PriceOfOtherMachine(std::string_view machine_type, bool spot) {
  const auto* const row =
      std::ranges::find(kMachinePrices, machine_type, &MachinePrice::machine_type);
  if (row == kMachinePrices.end()) return std::nullopt;
  return ListedPrice(Known(spot ? row->spot : row->on_demand));
}

/// Returns the price of a TPU node in the rows of a price list.
template <typename Rows>
std::optional<double> TpuPriceIn(const Rows& rows, const Accelerator& accelerator,
                                 std::string_view region, bool spot) {
  const auto row = std::ranges::find_if(rows, [&](const auto& each) {
    return each.generation == accelerator.generation && each.region == region;
  });
  if (row == std::ranges::end(rows)) return std::nullopt;
  const auto chip = Known(spot ? row->spot : row->on_demand);
  return chip ? std::optional(*chip * accelerator.chips / accelerator.hosts) : std::nullopt;
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

std::optional<Price> NodePrice(const Prices& prices, const Accelerator& accelerator,
                               std::string_view region, bool spot) {
  if (accelerator.kind != AcceleratorKind::kTpu)
    return PriceOfOtherMachine(MachineOf(accelerator), spot);
  // Prices that were read before this version was made may be older than its list.
  const bool is_newer = prices.date > kPriceDate;
  const auto newer = is_newer ? TpuPriceIn(prices.tpu, accelerator, region, spot) : std::nullopt;
  if (newer) return Price{*newer, prices.date};
  return ListedPrice(TpuPriceIn(kChipPrices, accelerator, region, spot));
}

std::optional<Price> PriceOfMachine(const Prices& prices, std::string_view machine_type,
                                    std::string_view region, bool spot) {
  const auto accelerators = Accelerators();
  const auto found = std::ranges::find(accelerators, machine_type, &Accelerator::machine_type);
  return found != accelerators.end() ? NodePrice(prices, *found, region, spot)
                                     : PriceOfOtherMachine(machine_type, spot);
}

}  // namespace kinetic::jobspec

namespace kinetic::inline v0 {

std::optional<Price> PriceOf(const Prices& prices, const Accelerator& accelerator,
                             std::string_view region, bool spot) {
  auto price = jobspec::NodePrice(prices, accelerator, region, spot);
  if (price) price->dollars_per_hour *= accelerator.hosts;
  return price;
}

std::string ToJson(const Prices& prices) {
  Value::List rows;
  for (const ChipPrice& price : prices.tpu) {
    rows.emplace_back(Value::Map{{"generation", price.generation},
                                 {"region", price.region},
                                 {"on_demand", price.on_demand},
                                 {"spot", price.spot}});
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
                          .spot = row.Number("spot")});
    KINETIC_RETURN_IF_ERROR(row.Finish());
  }
  if (!jobspec::IsDate(prices.date)) reader.Reject("date", "expected a date: 2026-11-28");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return prices;
}

}  // namespace kinetic::inline v0
