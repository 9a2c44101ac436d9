#include "commands/cluster/plan_output.h"

#include "commands/cluster/pool_table.h"
#include "documents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace kinetic::cli {
namespace {

Value StepDocument(const PlanStep& step) {
  Value::List requests;
  for (const PlannedRequest& request : step.requests)
    requests.emplace_back(
        Value::Map{{"method", request.method}, {"url", request.url}, {"body", request.body}});
  Value::List jobs;
  for (const std::string& job : step.running_jobs) jobs.emplace_back(job);
  return Value::Map{{"action", std::string(Name(step.action))},
                    {"kind", step.kind},
                    {"name", step.name},
                    {"detail", TextOrNull(step.detail)},
                    {"expected_minutes", Number(static_cast<std::uint64_t>(step.expected.count()))},
                    {"requests", std::move(requests)},
                    {"running_jobs", std::move(jobs)}};
}

Value QuotaDocument(const QuotaNeed& quota) {
  return Value::Map{{"name", quota.name},
                    {"region", quota.region},
                    {"needed", quota.needed},
                    {"available", quota.available ? Value(*quota.available) : Value()}};
}

void ShowWarnings(const ClusterPlan& plan, Context& context) {
  for (const std::string& warning : plan.warnings()) context.output.Warn(warning);
}

}  // namespace

std::string MinutesText(const PlanStep& step) {
  return step.expected.count() == 0 ? "" : fmt::format("about {} min", step.expected.count());
}

Table ToTable(const ClusterPlan& plan, bool with_kept) {
  Table table{.headings = {"ACTION", "KIND", "NAME", "DETAIL", "TIME"},
              .droppable = {"TIME"},
              .whole = {"ACTION", "KIND", "NAME"},
              .below = "DETAIL"};
  for (const PlanStep& step : plan.steps()) {
    if (step.action == PlanAction::kKeep && !with_kept) continue;
    table.rows.push_back(
        {std::string(Name(step.action)), step.kind, step.name, step.detail, MinutesText(step)});
  }
  return table;
}

Value ToDocument(const ClusterPlan& plan, bool applied) {
  Value::List steps;
  for (const PlanStep& step : plan.steps()) steps.push_back(StepDocument(step));
  Value::List quotas;
  for (const QuotaNeed& quota : plan.quotas()) quotas.push_back(QuotaDocument(quota));
  Value::List warnings;
  for (const std::string& warning : plan.warnings()) warnings.emplace_back(warning);
  const ClusterPrice& price = plan.price();
  const Value prices(
      Value::Map{{"idle", price.idle},
                 {"busy", price.busy ? Value(*price.busy) : Value()},
                 {"busy_before", price.busy_before ? Value(*price.busy_before) : Value()},
                 {"currency", "USD"},
                 {"date", TextOrNull(price.date)}});
  Value::List jobs;
  for (const std::string& job : plan.running_jobs()) jobs.emplace_back(job);
  return Value::Map{{"project", plan.spec().project}, {"location", plan.spec().location},
                    {"cluster", plan.spec().name},    {"applied", applied},
                    {"steps", std::move(steps)},      {"price_per_hour", prices},
                    {"quotas", std::move(quotas)},    {"running_jobs", std::move(jobs)},
                    {"warnings", std::move(warnings)}};
}

std::string PriceText(const ClusterPrice& price) {
  // The plan for one pool has no price of the cluster.
  std::string text = price.idle > 0 ? fmt::format("${:.2f} per hour idle", price.idle) : "";
  const bool changes = price.busy_before && price.busy_before != price.busy;
  if (changes || price.busy != price.idle) {
    const std::string busy =
        price.busy ? fmt::format("${:.2f}", *price.busy) : std::string("an unknown price");
    text += text.empty() ? busy + " per hour" : ", " + busy;
    text += " with all nodes of these pools busy";
  }
  if (changes) text += fmt::format(" instead of ${:.2f}", *price.busy_before);
  return text + DateText(price.date);
}

void ShowPlan(const ClusterPlan& plan, std::string_view up_to_date, Context& context) {
  if (plan.IsEmpty()) {
    context.output.Note(up_to_date);
    ShowWarnings(plan, context);
    return;
  }
  context.output.Show(ToTable(plan, false));
  for (const QuotaNeed& quota : plan.quotas()) {
    const std::string available =
        quota.available ? fmt::format("{:g} available", *quota.available) : "availability unknown";
    context.output.Paragraph(fmt::format("quota {} in {}: {:g} needed, {}", quota.name,
                                         quota.region, quota.needed, available));
  }
  const std::string price = PriceText(plan.price());
  if (!price.empty()) context.output.Paragraph(price);
  ShowWarnings(plan, context);
}

}  // namespace kinetic::cli
