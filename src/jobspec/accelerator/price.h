#pragma once

#include "kinetic/accelerator.h"
#include "kinetic/prices.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::jobspec {

/// The machine type of nodes for jobs without an accelerator.
inline constexpr std::string_view kCpuMachine = "e2-standard-4";

/// Returns the machine type of an accelerator's nodes.
std::string MachineOf(const Accelerator& accelerator);

/// The management fee of a GKE cluster, in US dollars per hour.
inline constexpr double kClusterFee = 0.10;
/// A boot disk of 32 GB and an external address, in US dollars per hour.
inline constexpr double kDiskAndAddress = 0.0094;

/// Returns the price of one node, or nullopt if it is unknown.
std::optional<Price> NodePrice(const Prices& prices, const Accelerator& accelerator,
                               std::string_view region, Provisioning provisioning);

/// Same, for a machine type of the series E2.
std::optional<Price> E2Price(std::string_view machine_type, std::string_view region);

}  // namespace kinetic::jobspec
