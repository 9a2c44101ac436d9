#include "backend/kubernetes/manifest/cost_limit.h"

#include "kinetic/prices.h"
#include "kinetic/try.h"

#include "backend/kubernetes/manifest/job_price.h"
#include "base/strings.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace kinetic::backend {
namespace {

/// Parses "20.50 USD", which has passed the schema.
Result<double> DollarsOf(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (text.substr(space + 1) != "USD") {
    return Fail(ErrorCode::kInvalidArgument, "prices are known in USD only", "use USD");
  }
  double amount = 0;
  const std::string_view digits = text.substr(0, space);
  std::from_chars(digits.begin(), digits.end(), amount);
  return amount;
}

/// Returns the price of the most expensive accelerator, in US dollars per hour.
Result<double> HighestPrice(const JobSpec& spec, const ClusterProfile& cluster,
                            const Prices& prices) {
  const std::string region = RegionOf(cluster);
  double highest = 0;
  for (const Accelerator& accelerator : spec.accelerators) {
    const auto price = PriceOf(prices, accelerator, region, ProvisioningOf(spec));
    if (!price || region.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "no price is known for " + accelerator.name + (spec.spot ? " (Spot)" : "") +
                      (spec.flex_start ? " (flex-start)" : "") +
                      (region.empty() ? " on this cluster" : " in " + region),
                  "read the current prices of TPUs: kinetic accelerators --refresh-prices, or use "
                  "timeouts.run instead");
    }
    highest = std::max(highest, price->dollars_per_hour);
  }
  return highest;
}

}  // namespace

Result<std::chrono::milliseconds> CostLimit(const JobSpec& spec, const ClusterProfile& cluster,
                                            const Prices& prices) {
  KINETIC_ASSIGN_OR_RETURN(const double dollars, DollarsOf(spec.max_cost));
  KINETIC_ASSIGN_OR_RETURN(const double price, HighestPrice(spec, cluster, prices));
  const double tasks = spec.array ? std::max<double>(1, spec.array->count) : 1;
  const double attempts = tasks * std::max<double>(1, spec.retry.attempts);
  const std::chrono::duration<double, std::ratio<3600>> hours(dollars / price / attempts);
  return std::chrono::duration_cast<std::chrono::milliseconds>(hours);
}

}  // namespace kinetic::backend
