#include "commands/job/ps_table.h"

#include "command_line/parse.h"
#include "commands/value/result_output.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace kinetic::cli {
namespace {

using Jobs = std::vector<JobSummary>;

/// The message of an exception can be 64 KiB long. 'kinetic status' and --json show all of it.
constexpr std::size_t kReasonColumns = 200;
constexpr std::size_t kArgsColumns = 60;

Role RoleOf(JobState state) {
  switch (state) {
    case JobState::kSucceeded:
      return Role::kGood;
    case JobState::kFailed:
    case JobState::kLost:
      return Role::kBad;
    case JobState::kCancelled:
    case JobState::kPreempted:
      return Role::kWarning;
    default:
      return Role::kHint;
  }
}

/// What the cells of a table have in common.
struct TableContext {
  Costs costs;
  /// The arguments that all listed jobs of a name have, if there are several jobs.
  std::map<std::string, std::set<std::string>> common_arguments;
};

std::optional<std::chrono::nanoseconds> DurationOf(const JobSummary& job, Time now) {
  if (!job.started) return std::nullopt;
  return job.finished.value_or(now) - *job.started;
}

Cell IdCell(const JobSummary& job, const TableContext&) {
  Cell id(job.id);
  id.strong_bytes = job.unique_prefix.size();
  return id;
}

Cell DurationCell(const JobSummary& job, const TableContext& table) {
  const auto duration = DurationOf(job, table.costs.now);
  return duration ? FormatDuration(*duration) : std::string("-");
}

Cell ArgsCell(const JobSummary& job, const TableContext& table) {
  const auto common = table.common_arguments.find(job.name);
  std::vector<std::string> texts;
  for (const std::string& text : job.arguments)
    if (common == table.common_arguments.end() || !common->second.contains(text))
      texts.push_back(text);
  return Shortened(fmt::format("{}", fmt::join(texts, " ")), kArgsColumns, true);
}

Cell TagsCell(const JobSummary& job, const TableContext&) {
  std::vector<std::string> texts;
  texts.reserve(job.tags.size());
  for (const auto& [name, value] : job.tags) texts.push_back(name + "=" + value);
  return fmt::format("{}", fmt::join(texts, " "));
}

struct Column {
  std::string_view name;
  Cell (*cell)(const JobSummary& job, const TableContext& table);
  bool is_usual = true;
  bool is_text = false;  ///< sorted alphabetically
};

const std::array<Column, 12> kColumns{{
    {"id", IdCell, true, true},
    {"name", [](const JobSummary& job, const TableContext&) { return Cell(job.name); }, true, true},
    {"args", ArgsCell},
    {"state",
     [](const JobSummary& job, const TableContext&) {
       return Cell(std::string(Name(job.state)), RoleOf(job.state));
     },
     true, true},
    {"age",
     [](const JobSummary& job, const TableContext& table) {
       return Cell(FormatAge(table.costs.now - job.created));
     }},
    {"duration", DurationCell},
    {"owner", [](const JobSummary& job, const TableContext&) { return Cell(job.owner); }, true,
     true},
    {"target", [](const JobSummary& job, const TableContext&) { return Cell(job.target); }, true,
     true},
    {"accelerator",
     [](const JobSummary& job, const TableContext&) {
       return Cell(job.accelerator.empty() ? "cpu" : job.accelerator);
     },
     false, true},
    {"cost",
     [](const JobSummary& job, const TableContext& table) {
       return Cell(CostText(table.costs.Of(job)));
     },
     false},
    {"tags", TagsCell},
    {"reason",
     [](const JobSummary& job, const TableContext&) {
       return Cell(Shortened(ReasonFor(job.state, job.reason), kReasonColumns, true));
     }},
}};

const Column* FindColumn(std::string_view name) {
  const auto found = std::ranges::find(kColumns, name, &Column::name);
  return found == kColumns.end() ? nullptr : &*found;
}

std::string Heading(std::string_view name) {
  std::string heading(name);
  std::ranges::transform(heading, heading.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return heading;
}

std::map<std::string, std::set<std::string>> CommonArguments(const Jobs& jobs) {
  std::map<std::string, std::set<std::string>> common;
  std::map<std::string, std::size_t> counts;
  for (const JobSummary& job : jobs) {
    const std::set<std::string> own(job.arguments.begin(), job.arguments.end());
    if (counts[job.name]++ == 0) {
      common[job.name] = own;
    } else {
      std::erase_if(common[job.name], [&](const std::string& text) { return !own.contains(text); });
    }
  }
  std::erase_if(common, [&](const auto& each) { return counts[each.first] == 1; });
  return common;
}

/// Removes a column whose cells are all empty.
void DropIfEmpty(std::string_view heading, Table& table) {
  const auto found = std::ranges::find(table.headings, heading);
  if (found == table.headings.end()) return;
  const auto column = found - table.headings.begin();
  const auto at = [column](auto& row) { return row.begin() + column; };
  if (std::ranges::any_of(table.rows, [&](auto& row) { return !at(row)->text.empty(); })) return;
  table.headings.erase(found);
  for (std::vector<Cell>& row : table.rows) row.erase(at(row));
}

/// Sorts the jobs. Equal ones keep their order.
void Reorder(Jobs& jobs,
             const std::function<bool(const JobSummary& a, const JobSummary& b)>& is_before) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (is_before(jobs[a], jobs[b])) return true;
    return a < b && !is_before(jobs[b], jobs[a]);
  });
  Jobs sorted;
  sorted.reserve(jobs.size());
  for (const std::size_t i : order) sorted.push_back(std::move(jobs[i]));
  jobs = std::move(sorted);
}

}  // namespace

std::vector<std::string> PsColumns() {
  std::vector<std::string> names;
  names.reserve(kColumns.size());
  for (const Column& column : kColumns) names.emplace_back(column.name);
  return names;
}

std::vector<std::string> PsSortKeys() {
  std::vector<std::string> names;
  names.reserve(kColumns.size());
  for (const Column& column : kColumns)
    if (column.is_text || column.name == "age" || column.name == "duration")
      names.emplace_back(column.name);
  return names;
}

Result<std::vector<std::string>> ParseColumns(const std::string& text) {
  std::vector<std::string> columns;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string name(rest.substr(0, comma));
    if (FindColumn(name) == nullptr)
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("--columns: unknown column '{}'; expected some of {}", SafeLine(name),
                              fmt::join(PsColumns(), ",")),
                  DidYouMean(name, PsColumns()));
    columns.push_back(name);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return columns;
}

void SortJobs(const std::string& column, std::vector<JobSummary>& jobs) {
  const TableContext table{{{}, std::chrono::system_clock::now()}, {}};
  if (column == "age") {
    Reorder(jobs, [](const auto& a, const auto& b) { return a.created > b.created; });
  } else if (column == "duration") {
    Reorder(jobs, [&](const auto& a, const auto& b) {
      return DurationOf(a, table.costs.now) > DurationOf(b, table.costs.now);
    });
  } else if (const Column* by = FindColumn(column)) {
    Reorder(jobs, [&](const auto& a, const auto& b) {
      return by->cell(a, table).text < by->cell(b, table).text;
    });
  }
}

Table PsTable(const std::vector<JobSummary>& jobs,
              const std::optional<std::vector<std::string>>& columns, const Costs& costs) {
  const TableContext context{costs, CommonArguments(jobs)};
  std::vector<const Column*> shown;
  for (const Column& column : kColumns)
    if (!columns && column.is_usual) shown.push_back(&column);
  for (const std::string& name : columns.value_or(std::vector<std::string>()))
    shown.push_back(FindColumn(name));
  Table table;
  table.headings.reserve(shown.size());
  for (const Column* column : shown) table.headings.push_back(Heading(column->name));
  for (const JobSummary& job : jobs) {
    std::vector<Cell>& row = table.rows.emplace_back();
    for (const Column* column : shown) row.push_back(column->cell(job, context));
  }
  if (columns) return table;
  table.droppable = {"TARGET", "OWNER", "REASON", "TAGS", "ARGS", "NAME", "DURATION"};
  table.whole = {"STATE"};
  table.sentences = "REASON";
  DropIfEmpty("ARGS", table);
  DropIfEmpty("TAGS", table);
  DropIfEmpty("REASON", table);
  return table;
}

}  // namespace kinetic::cli
