#pragma once

#include "kinetic/accelerator.h"
#include "kinetic/export.h"
#include "kinetic/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

struct ClusterAdminOptions;

/// How nodes are obtained. Each way has its own price.
enum class Provisioning : std::uint8_t { kOnDemand, kSpot, kFlexStart };

/// Returns "on_demand", "spot" or "flex_start".
KINETIC_EXPORT std::string_view Name(Provisioning provisioning);

/// The price of a TPU generation in a region, in US dollars per chip and hour. A price of 0 is
/// unknown.
struct ChipPrice {
  std::string generation;  ///< Accelerator::generation
  std::string region;
  double on_demand = 0;
  double spot = 0;
  double flex_start = 0;

  bool operator==(const ChipPrice&) const = default;
};

/// Prices that replace those of the built-in list that are older. The list has no prices of Spot
/// nodes, which change each month.
struct Prices {
  std::string date = {};  ///< "2026-11-28"; empty without prices
  std::vector<ChipPrice> tpu = {};

  bool operator==(const Prices&) const = default;
};

/// The price of nodes in Google Cloud.
struct Price {
  double dollars_per_hour = 0;  ///< US dollars
  std::string date;             ///< when Google listed it: "2026-08-19"

  bool operator==(const Price&) const = default;
};

/// The price of a job's nodes when it was submitted.
struct JobPrice {
  std::string region;  ///< "us-west4"
  Provisioning provisioning = Provisioning::kOnDemand;
  std::optional<Price> price = {};  ///< of all nodes; nullopt: it was unknown

  bool operator==(const JobPrice&) const = default;
};

/// Returns the age of a price by its date.
KINETIC_EXPORT std::chrono::days AgeOf(std::string_view date,
                                       std::chrono::system_clock::time_point now);

/// Returns how the nodes of a job or of a node pool are obtained.
template <typename Spec>
Provisioning ProvisioningOf(const Spec& spec) {
  if (spec.flex_start) return Provisioning::kFlexStart;
  return spec.spot ? Provisioning::kSpot : Provisioning::kOnDemand;
}

/// Returns the price of all nodes of an accelerator, or nullopt if it is unknown.
///
/// @param   region  "us-west4"; GPU prices are those of us-central1.
/// @source  https://cloud.google.com/tpu/pricing, https://cloud.google.com/compute/all-pricing
KINETIC_EXPORT std::optional<Price> PriceOf(const Prices& prices, const Accelerator& accelerator,
                                            std::string_view region, Provisioning provisioning);

/// Reads the current prices of TPUs from the Cloud Billing catalog. It has tens of thousands of
/// entries, so this takes some seconds.
///
/// @errors  kUnauthenticated · kPermissionDenied, also if the project has not enabled the API ·
///          kUnavailable · kCancelled · kDataLoss: the answer is invalid or has no price of a TPU.
/// @source  https://cloud.google.com/billing/docs/reference/rest/v1/services.skus/list
KINETIC_EXPORT Result<Prices> FetchPrices(const ClusterAdminOptions& options,
                                          std::stop_token stop = {});

/// Formats prices as JSON.
KINETIC_EXPORT std::string ToJson(const Prices& prices);

/// Parses the JSON of ToJson. @errors  kDataLoss.
KINETIC_EXPORT Result<Prices> PricesFromJson(std::string_view json);

}  // namespace kinetic::inline v0
