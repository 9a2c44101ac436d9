#include "settings/cached_prices.h"

#include "settings/regular_file.h"

#include <chrono>
#include <cstddef>

namespace kinetic::settings {

std::filesystem::path CachedPricesFile(const Settings& settings) {
  return settings.Path(SettingId::kCacheDir) / "prices.json";
}

Prices ReadCachedPrices(const Settings& settings) {
  constexpr std::size_t kMaxBytes = 1U << 20;
  const auto text = ReadRegularFile(CachedPricesFile(settings), "prices.json", kMaxBytes);
  Prices prices = text ? PricesFromJson(*text).value_or(Prices{}) : Prices{};
  if (AgeOf(prices.date, std::chrono::system_clock::now()) > kPriceValidity)
    for (ChipPrice& price : prices.tpu) price.spot = 0;
  return prices;
}

}  // namespace kinetic::settings
