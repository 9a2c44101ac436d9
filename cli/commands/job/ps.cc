#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/job/cost_view.h"
#include "commands/job/list_options.h"
#include "commands/job/ps_table.h"
#include "commands/value/result_output.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/reader_watch.h"
#include "output/text.h"
#include "time_limit.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct PsOptions {
  JobListing listing;
  bool watch = false;
  std::optional<std::string> sort;
  std::optional<std::string> columns;
};

constexpr std::chrono::seconds kWatchInterval{2};

using Jobs = std::vector<JobSummary>;

/// The columns to show; nullopt: the usual ones.
using Columns = std::optional<std::vector<std::string>>;

void Show(const Jobs& jobs, const PsOptions& options, const Columns& columns, const Costs& costs,
          const Context& context) {
  if (context.output.IsJson()) {
    Value::List documents;
    for (const JobSummary& job : jobs) documents.push_back(DocumentWithCost(job, costs));
    return context.output.Document(std::move(documents));
  }
  if (context.quiet) {
    for (const JobSummary& job : jobs) context.output.Line(job.id);
    return;
  }
  if (jobs.empty()) return context.output.Note(NoJobs(options.listing, context));
  context.output.Show(PsTable(jobs, columns, costs));
  NoteLimit(options.listing, jobs.size(), context);
}

/// Prints jobs that are new or have changed since the last call, one line for each.
class ChangePrinter {
 public:
  explicit ChangePrinter(const Context& context) : context_(context) {}

  void Print(const Jobs& jobs) {
    for (const JobSummary& job : jobs | std::views::reverse) {
      const std::string now = fmt::format("{} {}", Name(job.state), job.reason);
      if (std::exchange(known_[job.id], now) != now) PrintOne(job);
    }
    (void)context_.output.Flush();
  }

 private:
  void PrintOne(const JobSummary& job) const {
    if (context_.output.IsJson())
      return context_.output.Document(DocumentWithCost(job, CostsNow(context_)));
    if (context_.quiet) return context_.output.Line(job.id);
    const Time now = std::chrono::system_clock::now();
    const std::string_view reason = ReasonFor(job.state, job.reason);
    context_.output.Line(fmt::format("{} {} {} {}{}", FormatTime(now, context_.zone), job.id,
                                     job.name, Name(job.state),
                                     reason.empty() ? "" : ": " + OneLine(reason)));
  }

  const Context& context_;
  std::map<std::string, std::string> known_;
};

/// Shows the list until Ctrl-C: on a terminal in place, otherwise as changes.
Result<int> Watch(Client& client, const ListOptions& list, const PsOptions& options,
                  const Columns& columns, const Context& context) {
  ChangePrinter changes(context);
  const ReaderWatch reader(context.output, context.stop);
  const std::stop_token stop = reader.token();
  while (!stop.stop_requested() && !context.output.IsStdoutClosed()) {
    KINETIC_ASSIGN_OR_RETURN(Jobs jobs, client.List(list, stop));
    if (options.sort) SortJobs(*options.sort, jobs);
    const bool is_shown =
        !context.quiet && context.output.ShowInPlace(PsTable(jobs, columns, CostsNow(context)));
    if (!is_shown) changes.Print(jobs);
    SleepFor(kWatchInterval, stop);
  }
  return kInterrupted;
}

Result<int> Run(const PsOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(
      CheckExclusive(options.columns.has_value(), "--columns", context.output.IsJson(), "--json"));
  Columns columns;
  if (options.columns) {
    KINETIC_ASSIGN_OR_RETURN(columns, ParseColumns(*options.columns));
  }
  KINETIC_ASSIGN_OR_RETURN(ListOptions list, ToListOptions(options.listing, "ps", context));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  Warnings warnings(context.output);
  list.observer = &warnings;
  list.unique_prefixes = context.output.IsStyled();
  if (options.watch) return Watch(client, list, options, columns, context);
  KINETIC_ASSIGN_OR_RETURN(Jobs jobs, client.List(list, context.stop));
  if (options.sort) SortJobs(*options.sort, jobs);
  Show(jobs, options, columns, CostsNow(context), context);
  return kSuccess;
}

}  // namespace

void RegisterPs(Command& parent) {
  Command& command = parent.Add(
      {.name = "ps",
       .summary = "List jobs",
       .description =
           "List the jobs of the target, newest first. Shows the last 20 by default. With "
           "--quiet, prints only\n"
           "IDs. On a terminal, the shortest unique prefix of each ID is bold, and columns that do "
           "not fit are\n"
           "omitted. ARGS leaves out arguments that all listed jobs of the same name have. --json "
           "prints everything.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic ps --state running", "kinetic ps --watch", "kinetic ps --all -q",
                    "kinetic ps --tag team=nlp --sort duration --columns id,args,duration"}});
  auto options = std::make_shared<PsOptions>();
  AddListOptions(command, options->listing);
  command.Text({.names = "--sort",
                .placeholder = "COLUMN",
                .doc = "Sort by this column: the newest or longest first, names alphabetically",
                .choices = PsSortKeys()},
               options->sort);
  command.Text(
      {"--columns", "COLUMNS",
       fmt::format("Show these columns, separated by commas ({})", fmt::join(PsColumns(), ", "))},
      options->columns);
  command.Flag({"-w,--watch", "",
                "Refresh the list until Ctrl-C; without a terminal, print each change as a line"},
               options->watch);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
