#pragma once

#include "kinetic/prices.h"
#include "kinetic/value.h"

#include <vector>

namespace kinetic::provision {

/// Adds the price in an entry of the Cloud Billing catalog to a list, if it is that of a TPU. Of
/// several prices for the same chips, the list gets the highest.
///
/// @param sku  its description, category, serviceRegions and pricingInfo.
/// @source     https://cloud.google.com/billing/docs/reference/rest/v1/services.skus
void AddCatalogEntry(const Value& sku, std::vector<ChipPrice>& list);

}  // namespace kinetic::provision
