#include "jobspec/accelerator/price.h"

#include <algorithm>
#include <array>

namespace kinetic::jobspec {
namespace {

/// A TPU generation in a region, in US dollars per chip and hour. A price of 0 is unknown.
struct ChipPrice {
  std::string_view generation;
  std::string_view region;
  double on_demand;
  double spot;
};

constexpr std::array<ChipPrice, 15> kChipPrices{{
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

std::optional<double> ListedPrice(std::string_view machine_type, bool spot) {
  const auto* const row =
      std::ranges::find(kMachinePrices, machine_type, &MachinePrice::machine_type);
  if (row == kMachinePrices.end()) return std::nullopt;
  return Known(spot ? row->spot : row->on_demand);
}

}  // namespace

std::string MachineOf(const Accelerator& accelerator) {
  return accelerator.machine_type.empty() ? std::string(kCpuMachine) : accelerator.machine_type;
}

std::optional<double> NodePrice(const Accelerator& accelerator, std::string_view region,
                                bool spot) {
  if (accelerator.kind == AcceleratorKind::kTpu) {
    const auto* const row = std::ranges::find_if(kChipPrices, [&](const ChipPrice& price) {
      return price.generation == accelerator.generation && price.region == region;
    });
    if (row == kChipPrices.end()) return std::nullopt;
    const double chips = static_cast<double>(accelerator.chips) / accelerator.hosts;
    return Known(chips * (spot ? row->spot : row->on_demand));
  }
  return ListedPrice(MachineOf(accelerator), spot);
}

std::optional<double> PriceOfMachine(std::string_view machine_type, std::string_view region,
                                     bool spot) {
  const auto accelerators = Accelerators();
  const auto found = std::ranges::find(accelerators, machine_type, &Accelerator::machine_type);
  return found != accelerators.end() ? NodePrice(*found, region, spot)
                                     : ListedPrice(machine_type, spot);
}

}  // namespace kinetic::jobspec

namespace kinetic::inline v0 {

std::optional<double> ListPrice(const Accelerator& accelerator, std::string_view region,
                                bool spot) {
  const auto node = jobspec::NodePrice(accelerator, region, spot);
  return node ? std::optional(accelerator.hosts * *node) : std::nullopt;
}

std::string_view ListPriceDate() { return jobspec::kPriceDate; }

}  // namespace kinetic::inline v0
