#include "kinetic/profile.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct PsOptions {
  bool all = false;
  std::optional<std::uint64_t> limit;
  std::optional<std::string> state;
  std::optional<std::string> name;
  std::optional<std::string> owner;
};

constexpr std::uint32_t kDefaultLimit = 20;
constexpr std::array kStates = {JobState::kQueued,    JobState::kPending, JobState::kRunning,
                                JobState::kSucceeded, JobState::kFailed,  JobState::kCancelled,
                                JobState::kPreempted, JobState::kLost};

std::vector<std::string> StateNames() {
  std::vector<std::string> names;
  names.reserve(kStates.size());
  for (const JobState state : kStates) names.emplace_back(Name(state));
  return names;
}

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

std::string Duration(const JobSummary& job, Time now) {
  if (!job.started) return "-";
  return FormatDuration(job.finished.value_or(now) - *job.started);
}

Table ToTable(const std::vector<JobSummary>& jobs) {
  const Time now = std::chrono::system_clock::now();
  Table table{.headings = {"ID", "NAME", "STATE", "AGE", "DURATION", "OWNER", "TARGET", "REASON"}};
  for (const JobSummary& job : jobs)
    table.rows.push_back({job.id, job.name, Cell(std::string(Name(job.state)), RoleOf(job.state)),
                          FormatAge(now - job.created), Duration(job, now), job.owner, job.target,
                          job.reason});
  return table;
}

/// Explains why no job is listed.
std::string NoJobs(const PsOptions& options, const Context& context) {
  const std::string store = context.settings.Text(SettingId::kStore);
  std::error_code ignored;
  if (!IsInBucket(store) && !std::filesystem::exists(store, ignored))
    return fmt::format("no jobs: the store {} does not exist; 'kinetic run' creates it",
                       SafeLine(store));
  std::string filter;
  if (options.name) filter += fmt::format(" with name {}", SafeLine(*options.name));
  if (options.owner) filter += fmt::format(" of owner {}", SafeLine(*options.owner));
  if (options.state) filter += fmt::format(" in state {}", *options.state);
  return filter.empty() ? "no jobs; start one with 'kinetic run'" : "no jobs" + filter;
}

Result<int> Run(const PsOptions& options, Context& context) {
  ListOptions list{.name = options.name.value_or(""), .owner = options.owner.value_or("")};
  if (options.limit == 0)
    return Fail(ErrorCode::kInvalidArgument, "--limit: expected 1 or more, found 0",
                "--all lists all jobs");
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!options.all)
    list.limit = static_cast<std::uint32_t>(std::min(options.limit.value_or(kDefaultLimit), kMost));
  for (const JobState state : kStates)
    if (options.state == Name(state)) list.state = state;
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  Warnings warnings(context.output);
  list.observer = &warnings;
  KINETIC_ASSIGN_OR_RETURN(const auto jobs, client.List(list, context.stop));
  if (context.output.IsJson()) {
    Value::List documents;
    for (const JobSummary& job : jobs) documents.push_back(ToDocument(job));
    context.output.Document(std::move(documents));
    return kSuccess;
  }
  if (jobs.empty()) {
    context.output.Note(NoJobs(options, context));
    return kSuccess;
  }
  context.output.Show(ToTable(jobs));
  if (!options.all && !options.limit && jobs.size() == kDefaultLimit)
    context.output.Note(fmt::format("showing the last {} jobs; --all lists all", kDefaultLimit));
  return kSuccess;
}

}  // namespace

void RegisterPs(Command& parent) {
  Command& command = parent.Add(
      {.name = "ps",
       .summary = "List jobs",
       .description = "List the jobs of the target, newest first. Shows the last 20 by default.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic ps --state running", "kinetic ps --all --json"}});
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
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
