#pragma once

#include "kinetic/prices.h"
#include "kinetic/result.h"

#include "context.h"

namespace kinetic::cli {

/// Reads the current prices from the Cloud Billing catalog, which later commands use.
///
/// @errors  those of FetchPrices, and of writing a file.
Result<Prices> RefreshPrices(Context& context);

/// Does so if the stored prices are old and the credential may read the catalog. Returns whether it
/// did.
bool RefreshOldPrices(const Context& context);

}  // namespace kinetic::cli
