#pragma once

#include "kinetic/accelerator.h"
#include "kinetic/export.h"
#include "kinetic/result.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

struct ClusterAdminOptions;

/// The price of a TPU generation in a region, in US dollars per chip and hour. A price of 0 is
/// unknown.
struct ChipPrice {
  std::string generation;  ///< Accelerator::generation
  std::string region;
  double on_demand = 0;
  double spot = 0;

  bool operator==(const ChipPrice&) const = default;
};

/// Prices that replace the built-in list of this version, if they are newer.
struct Prices {
  std::string date = {};  ///< "2026-11-28"; empty without prices
  std::vector<ChipPrice> tpu = {};

  bool operator==(const Prices&) const = default;
};

/// The price of nodes in Google Cloud.
struct Price {
  double dollars_per_hour = 0;  ///< US dollars
  std::string date;             ///< of the price list: "2026-08-19"
};

/// Returns the price of all nodes of an accelerator, or nullopt if it is unknown.
///
/// @param   region  "us-west4"; GPU prices are those of us-central1.
/// @source  https://cloud.google.com/tpu/pricing, https://cloud.google.com/compute/all-pricing
KINETIC_EXPORT std::optional<Price> PriceOf(const Prices& prices, const Accelerator& accelerator,
                                            std::string_view region, bool spot);

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
