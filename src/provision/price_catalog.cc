#include "provision/price_catalog.h"

#include "kinetic/cluster_spec.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "google/api/services.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

/// The service "Compute Engine", which has the TPUs from v5e on. Those before are entries of another
/// service, in other units.
constexpr std::string_view kService = "services/6F81-5844-456A";

/// Only these members of the entries, which are a fraction of their size.
constexpr std::string_view kFields =
    "nextPageToken,skus(description,category/usageType,serviceRegions,"
    "pricingInfo/pricingExpression(usageUnit,tieredRates/unitPrice))";

/// The names of TPU generations in descriptions, in lower case and without spaces and hyphens: of
/// "TpuV5e", "TPU v5e", and "DWS Defined Duration V5e".
constexpr std::array kGenerations = {
    std::pair("tpuv5e", "v5litepod"), std::pair("durationv5e", "v5litepod"),
    std::pair("tpuv5p", "v5p"),       std::pair("durationv5p", "v5p"),
    std::pair("tpuv6e", "v6e"),       std::pair("durationv6e", "v6e"),
    std::pair("tpu7x", "tpu7x"),
};

/// Words of prices that depend on a commitment or a reservation, or of another product.
constexpr std::array kOtherPrices = {"commit", "reserv", "calendar", "capacityoptimized"};
/// Words of flex-start, with Google's names for it.
constexpr std::array kFlexStart = {"dwsdefinedduration", "flexstart"};

std::string Condensed(std::string_view description) {
  std::string text = ToLower(description);
  std::erase_if(text, [](char c) { return c == ' ' || c == '-'; });
  return text;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Returns the generation of the TPU in a condensed description, or "".
std::string_view GenerationIn(std::string_view text) {
  const auto found = std::ranges::find_if(
      kGenerations, [&](const auto& generation) { return Contains(text, generation.first); });
  return found == kGenerations.end() ? std::string_view() : found->second;
}

/// Returns the price per hour in an entry, or 0 if it has none.
double HourlyPrice(const Value& sku) {
  json::ObjectReader reader(sku, "sku");
  const Value::List& pricing = reader.List("pricingInfo");
  // The last one is the current one.
  const Value* expression = pricing.empty() ? nullptr : pricing.back().Find("pricingExpression");
  if (expression == nullptr || json::TextAt(*expression, "usageUnit") != "h") return 0;
  json::ObjectReader prices(*expression, "sku");
  const Value::List& rates = prices.List("tieredRates");
  const Value* price = rates.empty() ? nullptr : rates.back().Find("unitPrice");
  if (price == nullptr) return 0;
  json::ObjectReader money(*price, "sku");
  const auto units = ParseInt(money.String("units"));
  return static_cast<double>(units.value_or(0)) +
         static_cast<double>(money.OptionalInt("nanos").value_or(0)) / 1e9;
}

/// Keeps the highest of several prices, so that a job does not exceed its max_cost.
void AddPrice(std::string_view generation, std::string_view region, double ChipPrice::* kind,
              double price, std::vector<ChipPrice>& list) {
  auto row = std::ranges::find_if(list, [&](const ChipPrice& each) {
    return each.generation == generation && each.region == region;
  });
  if (row == list.end()) {
    list.push_back({.generation = std::string(generation), .region = std::string(region)});
    row = list.end() - 1;
  }
  (*row).*kind = std::max((*row).*kind, price);
}

/// Reads all pages of the catalog, whose prices are in US dollars by default.
Result<std::vector<ChipPrice>> ReadCatalog(const google::ApiClient& api,
                                           const std::stop_token& stop) {
  const std::string path =
      fmt::format("/v1/{}/skus?pageSize=5000&fields={}", kService, http::PercentEncode(kFields));
  std::vector<ChipPrice> list;
  const auto take = [&](const Value& page) {
    json::ObjectReader reader(page, "skus");
    for (const Value& sku : reader.List("skus")) AddCatalogEntry(sku, list);
    return reader.Finish();
  };
  KINETIC_RETURN_IF_ERROR(api.ForEachPage(std::string(google::kBilling), path, take, stop));
  return list;
}

}  // namespace

void AddCatalogEntry(const Value& sku, std::vector<ChipPrice>& list) {
  const std::string text = Condensed(json::TextAt(sku, "description"));
  const std::string_view generation = GenerationIn(text);
  if (generation.empty()) return;
  const Value* category = sku.Find("category");
  const std::string usage = category != nullptr ? json::TextAt(*category, "usageType") : "";
  const auto in_text = [&](std::string_view word) { return Contains(text, word); };
  if (std::ranges::any_of(kOtherPrices, in_text) || usage.starts_with("Commit")) return;
  const double price = HourlyPrice(sku);
  if (price <= 0) return;
  // Google lists the prices of some Spot TPUs as on demand.
  const bool spot =
      usage == "Preemptible" || Contains(text, "preemptible") || Contains(text, "spot");
  double ChipPrice::* kind = spot ? &ChipPrice::spot : &ChipPrice::on_demand;
  if (std::ranges::any_of(kFlexStart, in_text)) kind = &ChipPrice::flex_start;
  json::ObjectReader reader(sku, "sku");
  for (const Value& region : reader.List("serviceRegions"))
    if (const std::string* name = region.AsString()) AddPrice(generation, *name, kind, price, list);
}

}  // namespace kinetic::provision

namespace kinetic::inline v0 {

Result<Prices> FetchPrices(const ClusterAdminOptions& options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto connection, provision::Connect(options, stop));
  const google::ApiClient api(*connection, SystemClock(), options.cloud.api_endpoint);
  auto tpu = provision::ReadCatalog(api, stop);
  if (!tpu) return Failure(std::move(tpu).error().Context("reading the Cloud Billing catalog"));
  if (tpu->empty()) {
    return Fail(ErrorCode::kDataLoss, "the Cloud Billing catalog has no price of a TPU",
                "the earlier prices remain in use");
  }
  constexpr std::size_t kDateLength = 10;
  return Prices{.date = FormatTime(SystemClock().Now()).substr(0, kDateLength),
                .tpu = *std::move(tpu)};
}

}  // namespace kinetic::inline v0
