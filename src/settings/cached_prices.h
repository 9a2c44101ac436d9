#pragma once

#include "kinetic/prices.h"

#include "settings/resolved.h"

#include <chrono>
#include <filesystem>

namespace kinetic::settings {

/// Returns the file with the prices from FetchPrices, in the cache folder.
std::filesystem::path CachedPricesFile(const Settings& settings);

/// Google changes the prices of Spot nodes at most once in this time.
inline constexpr std::chrono::days kPriceValidity{30};

/// Reads that file. Returns no prices if it does not exist or is damaged, and no prices of Spot
/// nodes that are too old.
Prices ReadCachedPrices(const Settings& settings);

}  // namespace kinetic::settings
