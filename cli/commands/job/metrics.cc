#include "kinetic/metrics.h"

#include "kinetic/tasks.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/job/metrics_table.h"
#include "commands/job/selection.h"
#include "commands/tasks/task_option.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

constexpr std::size_t kShownRows = 20;

struct MetricsOptions {
  std::vector<std::string> ids;
  JobSelectors selectors;
  std::optional<std::string> tasks;
  bool all = false;
  bool csv = false;
};

Status CheckNoArray(const Job& job, const Context& context) {
  if (FindTaskReference(job.id())) return {};
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
  if (!summary.tasks) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("job {} is an array, which has metrics for each task", job.id()),
              fmt::format("for the last ones of each task: kinetic results {0}; for one task: "
                          "kinetic metrics {0} --task 0",
                          job.id()));
}

/// Writes a line of JSON for each row.
Status WriteDocuments(const std::vector<Job>& jobs, const Context& context) {
  for (const Job& job : jobs) {
    const auto write = [&](const MetricRow& row) -> Status {
      Value document = ToDocument(row);
      if (jobs.size() > 1) {
        const auto task = FindTaskReference(job.id());
        document.Set("id", task ? task->job : job.id());
        if (task) document.Set("task", Number(task->task));
      }
      context.output.Document(document);
      return context.output.IsStdoutClosed() ? context.output.Flush() : Status();
    };
    KINETIC_RETURN_IF_ERROR(ReadMetrics(job, write, {.stop = context.stop}));
  }
  return {};
}

/// Returns the last numbers of a job, which its outcome has if its runner has stored it.
Result<Metrics> ReadLast(const Job& job, const Context& context) {
  std::vector<MetricSummary> summary;
  KINETIC_ASSIGN_OR_RETURN(const auto outcome, job.Collect(context.stop, OutcomeContent::kState));
  if (outcome) summary = outcome->metrics;
  if (summary.empty()) {
    const auto add = [&](const MetricRow& row) -> Status {
      AddMetrics(row.numbers, summary);
      return {};
    };
    KINETIC_RETURN_IF_ERROR(ReadMetrics(job, add, {.stop = context.stop}));
  }
  Metrics last;
  for (MetricSummary& metric : summary) last.emplace_back(std::move(metric.name), metric.last);
  return last;
}

/// Reads all rows of one job, or one row for each of several.
Result<MetricsTable> ReadTable(const std::vector<Job>& jobs, std::size_t limit,
                               const Context& context) {
  if (jobs.size() > 1) {
    MetricsTable table("job", MetricsTable::Labels::kAlways);
    for (const Job& job : jobs) {
      KINETIC_ASSIGN_OR_RETURN(const Metrics last, ReadLast(job, context));
      table.Add(last, ShownId(job.id()));
    }
    return table;
  }
  MetricsTable table("attempt", MetricsTable::Labels::kIfDifferent, limit);
  const auto add = [&](const MetricRow& row) -> Status {
    table.Add(row.numbers, std::to_string(row.attempt));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ReadMetrics(jobs.front(), add, {.stop = context.stop}));
  return table;
}

Result<int> Run(const MetricsOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckExclusive(options.csv, "--csv", context.output.IsJson(), "--json"));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(std::vector<Job> found,
                           FindJobs(client, options.ids, options.selectors, context));
  if (options.ids.empty() && !options.selectors.IsGiven())
    context.output.Note("job " + found.front().id());
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs, SelectTasks(std::move(found), options.tasks,
                                                                    TaskNumber::kSeveral, context));
  for (const Job& job : jobs) KINETIC_RETURN_IF_ERROR(CheckNoArray(job, context));
  if (context.output.IsJson()) {
    KINETIC_RETURN_IF_ERROR(WriteDocuments(jobs, context));
    return kSuccess;
  }
  const std::size_t limit = options.all || options.csv || jobs.size() > 1 ? 0 : kShownRows;
  KINETIC_ASSIGN_OR_RETURN(const MetricsTable table, ReadTable(jobs, limit, context));
  if (table.size() == 0) {
    context.output.Note(fmt::format("job {} has logged no metrics", ShownId(jobs.front().id())));
  } else if (options.csv) {
    for (const std::string& line : table.ToCsv()) context.output.ExactLine(line);
  } else {
    context.output.Show(table.ToTable());
    if (limit != 0 && table.size() > limit)
      context.output.Note(fmt::format("{} of {} rows; --all shows every row", limit, table.size()));
  }
  if (table.HasMoreNames()) {
    context.output.Note(
        fmt::format("only the first {} names have a column; --json shows all", kMaxMetrics));
  }
  return kSuccess;
}

}  // namespace

void RegisterMetrics(Command& parent) {
  Command& command = parent.Add(
      {.name = "metrics",
       .summary = "Show the metrics that jobs logged",
       .description =
           "Show the numbers that a job logged with kinetic.log(), such as steps and losses: a row "
           "for each\n"
           "call, or 20 rows of a long job. The rows of a job that was retried have the attempt. "
           "Of several\n"
           "jobs, shows the last numbers of each. Without ID, shows your newest job. With --json, "
           "each line is\n"
           "one row with sequence, time, attempt, and metrics.",
       .usage = {"[OPTIONS] [ID...]"},
       .examples = {"kinetic metrics train", "kinetic metrics train --csv > train.csv",
                    "kinetic metrics train-a train-b"}});
  auto options = std::make_shared<MetricsOptions>();
  AddJobsArgument(command, options->ids);
  AddSelectors(command, "Show the metrics of", options->selectors);
  AddTaskOption(command, "Show the metrics of", TaskNumber::kSeveral, options->tasks);
  command.Flag({"--all", "", "Show every row"}, options->all);
  command.Flag({"--csv", "", "Print every row as comma-separated values"}, options->csv);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
