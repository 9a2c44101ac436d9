#include "kinetic/accelerator.h"
#include "kinetic/accelerator_offers.h"
#include "kinetic/prices.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/cluster/options.h"
#include "commands/system/refresh_prices.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct AcceleratorsOptions {
  std::optional<std::string> name;
  bool available = false;
  bool refresh_prices = false;
};

std::string PriceText(const std::optional<Price>& price) {
  return price ? fmt::format("${:.2f}", price->dollars_per_hour) : "unknown";
}

std::string QuotaText(std::optional<double> quota) {
  return quota ? fmt::format("{:g}", *quota) : "unknown";
}

Value NumberOrNull(std::optional<double> number) { return number ? Value(*number) : Value(); }

Value PriceOrNull(const std::optional<Price>& price) {
  return price ? Value(price->dollars_per_hour) : Value();
}

Value DateOrNull(const std::optional<Price>& price) { return price ? Value(price->date) : Value(); }

Value OfferDocument(const AcceleratorOffer& offer) {
  Value::List reservations;
  for (const std::string& name : offer.reservations) reservations.emplace_back(name);
  return Value::Map{{"accelerator", offer.accelerator.name},
                    {"zone", offer.zone},
                    {"price_per_hour", PriceOrNull(offer.price)},
                    {"price_date", DateOrNull(offer.price)},
                    {"spot_price_per_hour", PriceOrNull(offer.spot_price)},
                    {"spot_price_date", DateOrNull(offer.spot_price)},
                    {"quota", NumberOrNull(offer.quota)},
                    {"spot_quota", NumberOrNull(offer.spot_quota)},
                    {"reservations", std::move(reservations)}};
}

/// Returns the dates of the prices that are shown.
std::string DatesOf(const std::vector<AcceleratorOffer>& offers) {
  std::set<std::string> dates;
  for (const AcceleratorOffer& offer : offers)
    for (const auto& price : {offer.price, offer.spot_price})
      if (price) dates.insert(price->date);
  return fmt::format("{}", fmt::join(dates, " and "));
}

/// Shows the zones that have an accelerator.
Result<int> ShowAvailable(const AcceleratorsOptions& options, Context& context) {
  if (!options.name)
    return Fail(ErrorCode::kInvalidArgument, "--available requires an accelerator name",
                "list the names: kinetic accelerators");
  KINETIC_ASSIGN_OR_RETURN(const Accelerator accelerator, ParseAccelerator(*options.name));
  KINETIC_ASSIGN_OR_RETURN(const auto offers,
                           FindOffers(context.settings.Text(SettingId::kProject), accelerator,
                                      ClusterAdminOptionsOf(context), context.stop));
  Table table{
      .headings = {"ZONE", "QUOTA", "SPOT QUOTA", "PRICE/HOUR", "SPOT PRICE/HOUR", "RESERVATIONS"},
      .droppable = {"SPOT QUOTA", "SPOT PRICE/HOUR", "PRICE/HOUR"},
      .whole = {"ZONE"},
      .below = "RESERVATIONS"};
  Value::List documents;
  for (const AcceleratorOffer& offer : offers) {
    table.rows.push_back({offer.zone, QuotaText(offer.quota), QuotaText(offer.spot_quota),
                          PriceText(offer.price), PriceText(offer.spot_price),
                          fmt::format("{}", fmt::join(offer.reservations, ", "))});
    documents.push_back(OfferDocument(offer));
  }
  if (context.output.IsJson()) {
    context.output.Document(std::move(documents));
    return kSuccess;
  }
  if (offers.empty()) context.output.Note(fmt::format("no zone has {}", accelerator.name));
  if (!offers.empty()) context.output.Show(table);
  const std::string dates = DatesOf(offers);
  if (!offers.empty())
    context.output.Note("quotas are in chips" + (dates.empty() ? "" : "; list prices of " + dates));
  return kSuccess;
}

Result<int> Run(const AcceleratorsOptions& options, Context& context) {
  if (options.refresh_prices) {
    KINETIC_RETURN_IF_ERROR(CheckExclusive(options.name.has_value() || options.available,
                                           "NAME and --available", true, "--refresh-prices"));
    KINETIC_ASSIGN_OR_RETURN(const Prices prices, RefreshPrices(context));
    KINETIC_ASSIGN_OR_RETURN(const Value document, Value::FromJson(ToJson(prices)));
    if (context.output.IsJson()) context.output.Document(document);
    return kSuccess;
  }
  if (options.available) return ShowAvailable(options, context);
  std::vector<Accelerator> chosen;
  if (options.name) {
    KINETIC_ASSIGN_OR_RETURN(Accelerator accelerator, ParseAccelerator(*options.name));
    chosen.push_back(std::move(accelerator));
  } else {
    chosen.assign(Accelerators().begin(), Accelerators().end());
  }
  Table table{.headings = {"NAME", "KIND", "CHIPS", "HOSTS", "TOPOLOGY", "MACHINE TYPE"},
              .droppable = {"HOSTS", "CHIPS", "KIND", "TOPOLOGY", "MACHINE TYPE"},
              .whole = {"NAME", "MACHINE TYPE"}};
  Value::List documents;
  for (const Accelerator& accelerator : chosen) {
    table.rows.push_back({accelerator.name, std::string(Name(accelerator.kind)),
                          fmt::format("{}", accelerator.chips),
                          fmt::format("{}", accelerator.hosts), accelerator.topology,
                          accelerator.machine_type});
    documents.push_back(ToDocument(accelerator));
  }
  context.output.Show(table);
  if (context.output.IsJson()) context.output.Document(std::move(documents));
  return kSuccess;
}

}  // namespace

void RegisterAccelerators(Command& parent) {
  Command& command = parent.Add(
      {.name = "accelerators",
       .summary = "List accelerators",
       .description = "List accelerators by their Google names, with chips, hosts, and "
                      "topology. With NAME, shows the\n"
                      "details of one accelerator.",
       .usage = {"[OPTIONS] [NAME]", "[OPTIONS] --available NAME", "[OPTIONS] --refresh-prices"},
       .examples = {"kinetic accelerators", "kinetic accelerators v5p-8 --json",
                    "kinetic accelerators --available v5litepod-1",
                    "kinetic accelerators --refresh-prices"},
       .any_target = true});
  auto options = std::make_shared<AcceleratorsOptions>();
  command.Argument(
      {.names = "NAME", .doc = "Accelerator name", .complete = CompletionKind::kAccelerator},
      options->name);
  command.Flag(
      {"--available", "",
       "Show the zones of Google Cloud that have it, with the project's quota, prices, and "
       "reservations"},
      options->available);
  command.Flag(
      {"--refresh-prices", "",
       "Read the current prices of TPUs from the Cloud Billing catalog, for estimates and for "
       "max_cost"},
      options->refresh_prices);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
