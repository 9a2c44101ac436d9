#include "backend/kubernetes/manifest/job_price.h"

namespace kinetic::backend {

std::string RegionOf(const ClusterProfile& cluster) {
  const std::string& location = cluster.location;
  const std::size_t dash = location.rfind('-');
  // Regions have one dash, zones have two.
  return dash == location.find('-') ? location : location.substr(0, dash);
}

std::optional<JobPrice> JobPriceOf(const JobSpec& spec, const ClusterProfile& cluster,
                                   const Prices& prices) {
  if (cluster.location.empty() || spec.accelerators.size() != 1) return std::nullopt;
  JobPrice price{.region = RegionOf(cluster), .provisioning = ProvisioningOf(spec)};
  price.price = PriceOf(prices, spec.accelerators.front(), price.region, price.provisioning);
  return price;
}

}  // namespace kinetic::backend
