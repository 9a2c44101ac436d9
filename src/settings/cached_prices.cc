#include "settings/cached_prices.h"

#include "settings/regular_file.h"

#include <cstddef>

namespace kinetic::settings {

std::filesystem::path CachedPricesFile(const Settings& settings) {
  return settings.Path(SettingId::kCacheDir) / "prices.json";
}

Prices ReadCachedPrices(const Settings& settings) {
  constexpr std::size_t kMaxBytes = 1U << 20;
  const auto text = ReadRegularFile(CachedPricesFile(settings), "prices.json", kMaxBytes);
  return text ? PricesFromJson(*text).value_or(Prices{}) : Prices{};
}

}  // namespace kinetic::settings
