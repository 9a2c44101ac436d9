#pragma once

#include "kinetic/prices.h"

#include "settings/resolved.h"

#include <filesystem>

namespace kinetic::settings {

/// Returns the file with the prices from FetchPrices, in the cache folder.
std::filesystem::path CachedPricesFile(const Settings& settings);

/// Reads that file. Returns no prices if it does not exist or is damaged.
Prices ReadCachedPrices(const Settings& settings);

}  // namespace kinetic::settings
