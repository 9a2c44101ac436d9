#include "commands/job/cost_view.h"

#include "context.h"
#include "documents.h"
#include "settings/cached_prices.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>

namespace kinetic::cli {
namespace {

std::string_view NodesSuffix(const JobSummary& job) {
  if (!job.price) return "";
  switch (job.price->provisioning) {
    case Provisioning::kSpot:
      return " (Spot)";
    case Provisioning::kFlexStart:
      return " (flex-start)";
    default:
      return "";
  }
}

}  // namespace

Costs CostsNow(const Context& context) {
  return {ReadCachedPrices(context.settings), std::chrono::system_clock::now()};
}

double RoundedDollars(double dollars) { return std::round(dollars * 1e6) / 1e6; }

std::string DollarsText(double dollars) {
  constexpr double kHalfCent = 0.005;
  return dollars > 0 && dollars < kHalfCent ? "<$0.01" : fmt::format("${:.2f}", dollars);
}

std::string CostText(const std::optional<JobCost>& cost) {
  if (!cost) return "-";
  return (cost->is_current_price ? "~" : "") + DollarsText(cost->dollars);
}

std::string NodesText(const JobSummary& job) {
  return (job.accelerator.empty() ? "cpu" : job.accelerator) + std::string(NodesSuffix(job));
}

std::string CostSentence(const JobSummary& job, const std::optional<JobCost>& cost) {
  const bool has_ended = IsTerminal(job.state);
  if (!job.price || (!cost && job.tasks && !has_ended)) return {};
  if (!cost)
    return fmt::format(
        "unknown: no price for {} in {}; read the current prices of TPUs: kinetic accelerators "
        "--refresh-prices",
        NodesText(job), job.price->region);
  return fmt::format("about {}{} ({} on {} at {}${:.2f}/h, {})", DollarsText(cost->dollars),
                     has_ended ? "" : " until now", FormatDuration(cost->node_time), NodesText(job),
                     cost->is_current_price ? "today's " : "", cost->price.dollars_per_hour,
                     job.price->region);
}

void AddCost(const JobSummary& job, const Costs& costs, Value& document) {
  const auto cost = costs.Of(job);
  if (!cost) return document.Set("cost", Value());
  const std::chrono::duration<double> held = cost->node_time;
  document.Set("cost", Value::Map{{"dollars", RoundedDollars(cost->dollars)},
                                  {"node_seconds", held.count()},
                                  {"price_per_hour", cost->price.dollars_per_hour},
                                  {"price_date", cost->price.date},
                                  {"is_current_price", cost->is_current_price},
                                  {"region", job.price->region},
                                  {"nodes", std::string(Name(job.price->provisioning))}});
}

Value DocumentWithCost(const JobSummary& job, const Costs& costs) {
  Value document = ToDocument(job);
  AddCost(job, costs, document);
  return document;
}

}  // namespace kinetic::cli
