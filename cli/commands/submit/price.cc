#include "commands/submit/price.h"

#include "kinetic/prices.h"

#include "output/text.h"
#include "settings/cached_prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ratio>
#include <string>

namespace kinetic::cli {

std::optional<double> NotePrice(const JobSpec& spec, const Settings& settings, Context& context) {
  if (settings.Text(SettingId::kKind) != "gke") return std::nullopt;
  const std::string& zone = settings.Text(SettingId::kLocation);
  const std::string region = zone.substr(0, zone.rfind('-'));
  const Prices prices = ReadCachedPrices(settings);
  std::string text;
  std::string oldest;
  std::optional<double> only;
  for (const Accelerator& accelerator : spec.accelerators) {
    const auto price = PriceOf(prices, accelerator, region, ProvisioningOf(spec));
    if (!price) continue;
    if (oldest.empty() || price->date < oldest) oldest = price->date;
    text += fmt::format("{}${:.2f} for {} (list price of {})", text.empty() ? "" : ", ",
                        price->dollars_per_hour, accelerator.name, price->date);
    if (spec.accelerators.size() == 1) only = price->dollars_per_hour;
  }
  if (!text.empty() && !context.quiet && !context.output.IsJson())
    context.output.Note("price per hour: " + text);
  const auto age = AgeOf(oldest, std::chrono::system_clock::now());
  if (!spec.max_cost.empty() && !oldest.empty() && age > kPriceValidity && !context.quiet)
    context.output.Warn(
        fmt::format("max_cost uses a list price that is {} days old; to read the current prices of "
                    "TPUs: kinetic accelerators --refresh-prices",
                    age.count()));
  return only;
}

void NoteCost(const Outcome& outcome, double price_per_hour, Context& context) {
  if (context.quiet || context.output.IsJson() || outcome.timeline.empty()) return;
  const auto& timeline = outcome.timeline;
  const auto scheduled =
      std::ranges::find_if(timeline, [](const auto& event) { return event.first == "scheduled"; });
  const auto start = scheduled != timeline.end() ? scheduled->second : timeline.front().second;
  const auto used = timeline.back().second - start;
  const std::chrono::duration<double, std::ratio<3600>> hours = used;
  context.output.Note(fmt::format("cost: about ${:.2f} for {}", hours.count() * price_per_hour,
                                  FormatDuration(used)));
}

}  // namespace kinetic::cli
