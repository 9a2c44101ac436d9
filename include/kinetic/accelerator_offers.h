#pragma once

#include "kinetic/accelerator.h"
#include "kinetic/cluster_spec.h"
#include "kinetic/export.h"
#include "kinetic/prices.h"
#include "kinetic/result.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::inline v0 {

/// A zone that has the nodes of an accelerator.
struct AcceleratorOffer {
  Accelerator accelerator;
  std::string zone;
  std::optional<Price> price;       ///< nullopt: unknown
  std::optional<Price> spot_price;  ///< same, for Spot nodes
  std::optional<double> quota;      ///< chips that the project may still use; nullopt: unknown
  std::optional<double> spot_quota;
  std::vector<std::string> reservations;  ///< of the project, for such nodes
};

/// Returns the zones that have the nodes of an accelerator, by name.
///
/// @errors  those of PlanUp.
KINETIC_EXPORT Result<std::vector<AcceleratorOffer>> FindOffers(const std::string& project,
                                                                const Accelerator& accelerator,
                                                                const ClusterAdminOptions& options,
                                                                std::stop_token stop = {});

}  // namespace kinetic::inline v0
