#include "commands/job/selection.h"

#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/job/time_options.h"
#include "context.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::string_view kLatest = "latest";

bool IsSelected(const JobSummary& job, const JobFilter& filter, Selectable selectable,
                const std::optional<Time>& before) {
  const bool finished = IsTerminal(job.state);
  if (selectable != Selectable::kAll && finished != (selectable == Selectable::kFinished))
    return false;
  if (filter.state && *filter.state != Name(job.state)) return false;
  return !before || job.finished.value_or(job.created) <= *before;
}

Result<std::vector<JobSummary>> ListSelected(Client& client, const JobFilter& filter,
                                             Selectable selectable, const Context& context) {
  std::optional<Time> before;
  if (filter.older_than) {
    KINETIC_ASSIGN_OR_RETURN(const auto age, ParseDuration("--older-than", *filter.older_than));
    before = std::chrono::system_clock::now() - age;
  }
  Warnings warnings(context.output);
  const ListOptions list{.owner = context.settings.Text(SettingId::kOwner), .observer = &warnings};
  KINETIC_ASSIGN_OR_RETURN(auto jobs, client.List(list, context.stop));
  std::erase_if(
      jobs, [&](const JobSummary& job) { return !IsSelected(job, filter, selectable, before); });
  return jobs;
}

std::string Question(std::string_view verb, const std::vector<JobSummary>& jobs) {
  constexpr std::size_t kShown = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(jobs.size(), kShown); ++i)
    names += fmt::format("{}{} ({})", i == 0 ? "" : ", ", jobs[i].id, jobs[i].name);
  if (jobs.size() > kShown) names += ", …";
  return fmt::format("{} {} {}: {}?", verb, jobs.size(), jobs.size() == 1 ? "job" : "jobs", names);
}

Status Confirm(std::string_view verb, const std::vector<JobSummary>& jobs, const JobFilter& filter,
               Context& context) {
  if (filter.yes) return {};
  const auto answer = context.output.Confirm(Question(verb, jobs), context.stop);
  if (!answer)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("confirmation is required to {} {} {}, but there is no terminal", verb,
                            jobs.size(), jobs.size() == 1 ? "job" : "jobs"),
                "pass --yes");
  if (!*answer) return Fail(ErrorCode::kCancelled, "nothing was done");
  return {};
}

}  // namespace

void AddJobArgument(Command& command, std::optional<std::string>& id) {
  command.Argument({.names = "ID",
                    .doc = "Job ID, unique prefix, name, or 'latest' (default: latest)",
                    .complete = CompletionKind::kJob},
                   id);
}

void AddJobsArgument(Command& command, std::vector<std::string>& ids, CompletionKind complete) {
  command.OptionalArguments(
      {.names = "ID", .doc = "Job IDs, unique prefixes, names, or 'latest'", .complete = complete},
      ids);
}

void AddFilterOptions(Command& command, JobFilter& filter) {
  command.Text({"--older-than", "TIME",
                "Select only your jobs that ended at least this long ago, such as 12h or 30d; for "
                "unfinished jobs, the time since submission"},
               filter.older_than);
  command.Flag({"-y,--yes", "", "Do not ask for confirmation"}, filter.yes);
}

Result<Job> FindJob(Client& client, const std::optional<std::string>& id, const Context& context) {
  return client.Find(id ? std::string_view(*id) : kLatest, context.stop);
}

Result<std::vector<Job>> FindJobs(Client& client, const std::vector<std::string>& ids,
                                  const Context& context) {
  std::vector<Job> jobs;
  const std::vector<std::string> newest{std::string(kLatest)};
  for (const std::string& id : ids.empty() ? newest : ids) {
    Result<Job> job = client.Find(id, context.stop);
    if (!job) return Failure(std::move(job).error());
    const bool known =
        std::ranges::any_of(jobs, [&](const Job& other) { return other.id() == job->id(); });
    if (!known) jobs.push_back(*std::move(job));
  }
  return jobs;
}

Status CheckSelection(const std::vector<std::string>& ids, const JobFilter& filter) {
  if (ids.empty() && !filter.IsGiven())
    return Fail(ErrorCode::kInvalidArgument, "no jobs are selected",
                "pass job IDs or names, or --all");
  return CheckExclusive(!ids.empty(), "ID", filter.IsGiven(),
                        filter.all ? "--all" : (filter.state ? "--state" : "--older-than"));
}

Result<std::vector<Job>> SelectJobs(Client& client, const std::vector<std::string>& ids,
                                    const JobFilter& filter, Selectable selectable,
                                    std::string_view verb, Context& context) {
  if (!ids.empty()) {
    auto jobs = FindJobs(client, ids, context);
    if (!jobs && ids.size() > 1) jobs.error().message += "; nothing was done";
    return jobs;
  }
  KINETIC_ASSIGN_OR_RETURN(const auto listed, ListSelected(client, filter, selectable, context));
  std::vector<Job> jobs;
  if (listed.empty()) {
    context.output.Note(fmt::format("no jobs to {}", verb));
    return jobs;
  }
  KINETIC_RETURN_IF_ERROR(Confirm(verb, listed, filter, context));
  for (const JobSummary& job : listed) {
    KINETIC_ASSIGN_OR_RETURN(Job found, client.Find(job, context.stop));
    jobs.push_back(std::move(found));
  }
  return jobs;
}

}  // namespace kinetic::cli
