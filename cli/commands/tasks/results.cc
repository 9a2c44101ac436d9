#include "kinetic/tasks.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "commands/tasks/results_table.h"
#include "commands/tasks/task_values.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct ResultsOptions {
  std::vector<std::string> ids;
  JobSelectors selectors;
  std::optional<std::string> sort;
  std::optional<std::uint64_t> best;
  bool reverse = false;
  bool csv = false;
};

/// Adds a row for each task of an array, including unfinished ones.
Status AddRows(const Job& job, std::vector<TaskRow>& rows, const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
  KINETIC_ASSIGN_OR_RETURN(auto arguments, Tasks(job).ListArguments(context.stop));
  KINETIC_ASSIGN_OR_RETURN(auto ended, ListTaskValues(job, summary.function, context));
  const std::string rest = IsTerminal(summary.state) ? "cancelled" : "unfinished";
  auto next = ended.begin();
  for (std::uint32_t task = 0; task < arguments.size(); ++task) {
    TaskRow& row = rows.emplace_back();
    row.job = job.id();
    row.task = task;
    row.args = std::move(arguments[task]);
    row.state = rest;
    if (next == ended.end() || next->task != task) continue;
    row.state = Name(next->state);
    row.metrics = MetricsDocument(next->metrics);
    if (next->state != JobState::kSucceeded) {
      row.error = next->reason;
    } else if (summary.function) {
      row.value = std::move(next->value);
    }
    ++next;
  }
  return {};
}

Result<int> Run(const ResultsOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckExclusive(options.csv, "--csv", context.output.IsJson(), "--json"));
  if (options.best && !options.sort)
    return Fail(ErrorCode::kInvalidArgument, "--best needs a column to sort by",
                "example: --sort loss --best 1");
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs,
                           FindJobs(client, options.ids, options.selectors, context));
  if (options.ids.empty() && !options.selectors.IsGiven())
    context.output.Note("job " + jobs.front().id());
  std::vector<TaskRow> rows;
  for (const Job& job : jobs) KINETIC_RETURN_IF_ERROR(AddRows(job, rows, context));
  ResultsTable table(std::move(rows), jobs.size() > 1);
  if (options.sort) KINETIC_RETURN_IF_ERROR(table.Sort(*options.sort, options.reverse));
  if (options.best) table.Keep(*options.best, *options.sort);
  if (context.output.IsJson()) {
    context.output.Document(table.ToDocument());
  } else if (options.csv) {
    for (const std::string& line : table.ToCsv()) context.output.ExactLine(line);
  } else {
    context.output.Show(table.ToTable());
  }
  return kSuccess;
}

}  // namespace

void RegisterResults(Command& parent) {
  Command& command = parent.Add(
      {.name = "results",
       .summary = "Show a table of the results of an array",
       .description =
           "Show one row for each task of an array: its state, the arguments that differ between "
           "the tasks, and\n"
           "its value. If the values are maps, each field is a column. The last metrics that the "
           "tasks logged are\n"
           "columns, too. The array need not have ended. Without ID, shows your newest job. --json "
           "prints all arguments and whole values. Exits with 0 "
           "even if tasks\n"
           "have failed.",
       .usage = {"[OPTIONS] [ID...]"},
       .examples = {"kinetic results sweep", "kinetic results sweep --sort loss --best 1",
                    "kinetic results --name sweep --csv"}});
  auto options = std::make_shared<ResultsOptions>();
  AddJobsArgument(command, options->ids);
  AddSelectors(command, "Show the results of", options->selectors);
  command.Text({"--sort", "COLUMN", "Sort by this column, the smallest first"}, options->sort);
  command.Flag({"--reverse", "", "Sort the largest first"}, options->reverse);
  command.Number({"--best", "N", "Show only the first N rows with a value in the sorted column"},
                 options->best);
  command.Flag({"--csv", "", "Print comma-separated values"}, options->csv);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
