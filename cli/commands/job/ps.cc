#include "kinetic/profile.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/job/ps_table.h"
#include "commands/job/selection.h"
#include "commands/value/result_output.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/reader_watch.h"
#include "output/text.h"
#include "time_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct PsOptions {
  bool all = false;
  bool watch = false;
  std::optional<std::uint64_t> limit;
  std::optional<std::string> state;
  std::optional<std::string> name;
  std::optional<std::string> owner;
  std::vector<std::string> tags;
  std::optional<std::string> sort;
  std::optional<std::string> columns;
};

constexpr std::uint32_t kDefaultLimit = 20;
constexpr std::chrono::seconds kWatchInterval{2};
constexpr std::array kStates = {JobState::kQueued,    JobState::kPending, JobState::kRunning,
                                JobState::kSucceeded, JobState::kFailed,  JobState::kCancelled,
                                JobState::kPreempted, JobState::kLost};

using Jobs = std::vector<JobSummary>;

std::vector<std::string> StateNames() {
  std::vector<std::string> names;
  names.reserve(kStates.size());
  for (const JobState state : kStates) names.emplace_back(Name(state));
  return names;
}

/// Explains why no job is listed.
std::string NoJobs(const PsOptions& options, const Context& context) {
  const std::string store = context.settings.Text(SettingId::kStore);
  std::error_code ignored;
  if (!IsInBucket(store) && !std::filesystem::exists(store, ignored))
    return fmt::format("no jobs: the store {} does not exist; 'kinetic run' creates it",
                       SafeLine(store));
  if (!options.state && !options.name && !options.owner && options.tags.empty())
    return "no jobs; start one with 'kinetic run'";
  std::string text = options.state ? fmt::format("no {} jobs", *options.state) : "no jobs";
  if (options.name) text += " named " + SafeLine(*options.name);
  if (options.owner) text += " of " + SafeLine(*options.owner);
  if (!options.tags.empty())
    text += SafeLine(fmt::format(" with the tags {}", fmt::join(options.tags, ", ")));
  return text;
}

Result<ListOptions> ToListOptions(const PsOptions& options, const Context& context) {
  if (options.limit == 0)
    return Fail(ErrorCode::kInvalidArgument,
                "--limit: expected a whole number, 1 or more, found '0'", "--all lists all jobs");
  for (const auto& [option, text] : {std::pair{"--name", &options.name}, {"--of", &options.owner}})
    if (*text && (*text)->empty())
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: expected a name, found ''", option));
  ListOptions list{.name = options.name.value_or(""),
                   .owner = options.owner.value_or(""),
                   .unique_prefixes = context.output.IsStyled()};
  KINETIC_ASSIGN_OR_RETURN(list.tags, ParseTags(options.tags));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!options.all)
    list.limit = static_cast<std::uint32_t>(std::min(options.limit.value_or(kDefaultLimit), kMost));
  for (const JobState state : kStates)
    if (options.state == Name(state)) list.state = state;
  return list;
}

/// The columns to show; nullopt: the usual ones.
using Columns = std::optional<std::vector<std::string>>;

void Show(const Jobs& jobs, const PsOptions& options, const Columns& columns,
          const Context& context) {
  if (context.output.IsJson()) {
    Value::List documents;
    for (const JobSummary& job : jobs) documents.push_back(ToDocument(job));
    return context.output.Document(std::move(documents));
  }
  if (context.quiet) {
    for (const JobSummary& job : jobs) context.output.Line(job.id);
    return;
  }
  if (jobs.empty()) return context.output.Note(NoJobs(options, context));
  context.output.Show(PsTable(jobs, columns));
  if (!options.all && !options.limit && jobs.size() == kDefaultLimit)
    context.output.Note(fmt::format("showing the last {} jobs; --all lists all", kDefaultLimit));
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
    if (context_.output.IsJson()) return context_.output.Document(ToDocument(job));
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
    if (context.quiet || !context.output.ShowInPlace(PsTable(jobs, columns))) changes.Print(jobs);
    SleepFor(kWatchInterval, stop);
  }
  return kInterrupted;
}

/// Fails for the option with which other commands set the owner of a job.
Status CheckOwnerOption(const Context& context) {
  if (!context.flags.contains(SettingId::kOwner)) return {};
  return Fail(
      ErrorCode::kInvalidArgument, "'kinetic ps' does not use --owner",
      "to list the jobs of one owner: --of " + SafeLine(context.settings.Text(SettingId::kOwner)));
}

Result<int> Run(const PsOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckOwnerOption(context));
  KINETIC_RETURN_IF_ERROR(
      CheckExclusive(options.columns.has_value(), "--columns", context.output.IsJson(), "--json"));
  Columns columns;
  if (options.columns) {
    KINETIC_ASSIGN_OR_RETURN(columns, ParseColumns(*options.columns));
  }
  KINETIC_ASSIGN_OR_RETURN(ListOptions list, ToListOptions(options, context));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  Warnings warnings(context.output);
  list.observer = &warnings;
  if (options.watch) return Watch(client, list, options, columns, context);
  KINETIC_ASSIGN_OR_RETURN(Jobs jobs, client.List(list, context.stop));
  if (options.sort) SortJobs(*options.sort, jobs);
  Show(jobs, options, columns, context);
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
  command.Flag({"-a,--all", "", "List all jobs"}, options->all);
  command.Number({"-n,--limit", "N", "Maximum number of jobs to list (default: 20)"},
                 options->limit);
  command.Text({.names = "--state",
                .placeholder = "STATE",
                .doc = "List only jobs in this state",
                .choices = StateNames()},
               options->state);
  command.Text({"--name", "NAME", "List only jobs with this name"}, options->name);
  command.Text({"--of", "OWNER", "List only jobs that this owner submitted"}, options->owner);
  command.Texts({"--tag", "NAME=VALUE", "List only jobs with this tag"}, options->tags);
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
