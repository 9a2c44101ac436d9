#include "commands/job/cost_table.h"

#include "documents.h"
#include "output/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace kinetic::cli {
namespace {

/// A ratio of less would compare rounding errors.
constexpr double kLeastComparable = 0.005;

Value NumberOrNull(std::optional<double> number) { return number ? Value(*number) : Value(); }

}  // namespace

CostList::CostList(const std::vector<JobSummary>& jobs, const Costs& costs) : costs_(costs) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const JobSummary& job : jobs) {
    const auto cost = costs.Of(job);
    rows_.push_back({job, cost});
    if (!cost) continue;
    ++known_;
    total_.dollars += cost->dollars;
    total_.node_time += cost->node_time;
    total_.is_current_price = total_.is_current_price || cost->is_current_price;
    if (cost->dollars >= kLeastComparable) lowest = std::min(lowest, cost->dollars);
  }
  if (known_ > 1 && lowest <= total_.dollars) lowest_ = lowest;
}

/// Returns how many times the lowest cost this one is.
std::optional<double> CostList::RatioOf(const Row& row) const {
  if (lowest_ == 0 || !row.cost || row.cost->dollars < lowest_) return std::nullopt;
  return row.cost->dollars / lowest_;
}

Table CostList::ToTable() const {
  Table table{.headings = {"ID", "NAME", "STATE", "ACCELERATOR", "TIME", "PRICE/HOUR", "COST"},
              .droppable = {"STATE", "PRICE/HOUR", "TIME", "NAME"},
              .whole = {"COST"}};
  if (lowest_ > 0) table.headings.emplace_back("RATIO");
  for (const Row& row : rows_) {
    const auto& cost = row.cost;
    auto& cells = table.rows.emplace_back(std::vector<Cell>{
        row.job.id, row.job.name, std::string(Name(row.job.state)), NodesText(row.job),
        cost ? FormatDuration(cost->node_time) : "-",
        cost ? fmt::format("${:.2f}", cost->price.dollars_per_hour) : "-", CostText(cost)});
    const auto ratio = RatioOf(row);
    if (lowest_ > 0) cells.emplace_back(ratio ? fmt::format("{:.1f}x", *ratio) : "-");
  }
  if (known_ < 2) return table;
  auto& cells = table.rows.emplace_back(std::vector<Cell>{{"total", Role::kStrong},
                                                          std::string(),
                                                          std::string(),
                                                          std::string(),
                                                          FormatDuration(total_.node_time),
                                                          std::string(),
                                                          {CostText(total_), Role::kStrong}});
  if (lowest_ > 0) cells.emplace_back(std::string());
  return table;
}

std::vector<std::string> CostList::Notes() const {
  std::vector<std::string> notes;
  const std::size_t unknown = rows_.size() - known_;
  if (unknown > 0)
    notes.push_back(fmt::format("{} {} no known cost, such as jobs on this machine", unknown,
                                unknown == 1 ? "job has" : "jobs have"));
  std::set<std::string> dates;
  for (const Row& row : rows_)
    if (row.cost) dates.insert(row.cost->price.date);
  if (!dates.empty()) notes.push_back(fmt::format("list prices of {}", fmt::join(dates, ", ")));
  return notes;
}

Value CostList::Document() const {
  Value::List jobs;
  for (const Row& row : rows_) {
    Value document = DocumentWithCost(row.job, costs_);
    document.Set("ratio", NumberOrNull(RatioOf(row)));
    jobs.push_back(std::move(document));
  }
  const std::chrono::duration<double> held = total_.node_time;
  return Value::Map{
      {"jobs", std::move(jobs)},
      {"total", Value::Map{{"dollars", RoundedDollars(total_.dollars)},
                           {"node_seconds", held.count()},
                           {"jobs_with_unknown_cost", Number(rows_.size() - known_)}}}};
}

}  // namespace kinetic::cli
