#include "commands/system/refresh_prices.h"

#include "kinetic/try.h"

#include "commands/cluster/options.h"
#include "replaced_file.h"
#include "settings/cached_prices.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <system_error>

namespace kinetic::cli {
namespace {

Result<Prices> ReadAndStore(const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Prices prices,
                           FetchPrices(ClusterAdminOptionsOf(context), context.stop));
  const std::filesystem::path path = CachedPricesFile(context.settings);
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);  // Write reports a failure
  ReplacedFile file(path);
  KINETIC_RETURN_IF_ERROR(file.Write(ToJson(prices) + "\n"));
  KINETIC_RETURN_IF_ERROR(file.Close());
  return prices;
}

}  // namespace

Result<Prices> RefreshPrices(Context& context) {
  context.output.Note("reading the Cloud Billing catalog");
  KINETIC_ASSIGN_OR_RETURN(Prices prices, ReadAndStore(context));
  context.output.Note(fmt::format("{} TPU prices as of {}", prices.tpu.size(), prices.date));
  return prices;
}

bool RefreshOldPrices(const Context& context) {
  const Prices known = ReadCachedPrices(context.settings);
  if (AgeOf(known.date, std::chrono::system_clock::now()) <= kPriceValidity) return false;
  return ReadAndStore(context).has_value();
}

}  // namespace kinetic::cli
