#include "commands/job/selection.h"

#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/job/concurrently.h"
#include "context.h"
#include "output/text.h"
#include "settings/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::string_view kLatest = "latest";

bool IsSelected(const JobSummary& job, const JobFilter& filter, Selectable selectable) {
  const bool finished = IsTerminal(job.state);
  if (selectable != Selectable::kAll && finished != (selectable == Selectable::kFinished))
    return false;
  return !filter.state || *filter.state == Name(job.state);
}

/// Returns the options that list the caller's own jobs with a name and tags.
Result<ListOptions> OwnJobs(const JobSelectors& selectors, const Context& context) {
  ListOptions list{.name = selectors.name.value_or(""),
                   .owner = context.settings.Text(SettingId::kOwner)};
  if (selectors.name && selectors.name->empty())
    return Fail(ErrorCode::kInvalidArgument, "--name: expected a name, found ''");
  KINETIC_ASSIGN_OR_RETURN(list.tags, ParseTags(selectors.tags));
  return list;
}

Result<std::vector<JobSummary>> ListSelected(Client& client, const JobFilter& filter,
                                             Selectable selectable, const Context& context) {
  Warnings warnings(context.output);
  KINETIC_ASSIGN_OR_RETURN(ListOptions list, OwnJobs(filter.selectors, context));
  list.observer = &warnings;
  if (filter.older_than) {
    KINETIC_ASSIGN_OR_RETURN(list.older_than,
                             settings::ParseDurationOf("--older-than", *filter.older_than));
  }
  KINETIC_ASSIGN_OR_RETURN(auto jobs, client.List(list, context.stop));
  std::erase_if(jobs, [&](const JobSummary& job) { return !IsSelected(job, filter, selectable); });
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

/// Returns whether the user confirms.
Result<bool> Confirm(std::string_view verb, const std::vector<JobSummary>& jobs,
                     const JobFilter& filter, Context& context) {
  if (filter.yes) return true;
  const auto answer = context.output.Confirm(Question(verb, jobs), context.stop);
  if (!answer)
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("refusing to {} {} {} without --yes, because there is no terminal to ask "
                    "on",
                    verb, jobs.size(), jobs.size() == 1 ? "job" : "jobs"),
        "pass --yes");
  if (!*answer && context.stop.stop_requested())
    return Fail(ErrorCode::kCancelled, "nothing was done");
  if (!*answer) context.output.Note("nothing was done");
  return *answer;
}

/// Notes which of several jobs a name selects.
void NoteSelection(const std::string& word, const FoundJob& found, const Context& context) {
  if (found.same_name < 2) return;
  context.output.Note(fmt::format("job {}: the newest of {} jobs named {}", found.job.id(),
                                  found.same_name, SafeLine(word)));
}

/// Finds all jobs that the selectors select.
Result<std::vector<Job>> FindSelected(Client& client, const JobSelectors& selectors,
                                      const Context& context) {
  Warnings warnings(context.output);
  KINETIC_ASSIGN_OR_RETURN(ListOptions list, OwnJobs(selectors, context));
  list.observer = &warnings;
  KINETIC_ASSIGN_OR_RETURN(auto listed, client.List(list, context.stop));
  if (listed.empty()) {
    const std::string tags = fmt::format("{}", fmt::join(selectors.tags, ", "));
    return Fail(ErrorCode::kNotFound,
                fmt::format("you have no jobs{}{}",
                            selectors.name ? " named " + SafeLine(*selectors.name) : "",
                            tags.empty() ? "" : " with the tags " + SafeLine(tags)),
                "list jobs with 'kinetic ps'");
  }
  std::ranges::reverse(listed);
  std::vector<Job> jobs;
  auto found = Concurrently<Result<Job>, JobSummary>(
      listed, [&](const JobSummary& job) { return client.Find(job, context.stop); });
  for (Result<Job>& job : found) {
    if (!job) return Failure(std::move(job).error());
    jobs.push_back(*std::move(job));
  }
  return jobs;
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

void AddSelectors(Command& command, std::string_view verb, JobSelectors& selectors) {
  command.Text({"--name", "NAME", fmt::format("{} all your jobs with this name", verb)},
               selectors.name);
  command.Texts({"--tag", "NAME=VALUE", fmt::format("{} all your jobs with this tag", verb)},
                selectors.tags);
}

Result<std::map<std::string, std::string>> ParseTags(const std::vector<std::string>& tags) {
  std::map<std::string, std::string> parsed;
  for (const std::string& tag : tags) {
    const std::size_t equals = tag.find('=');
    if (equals == std::string::npos || equals == 0)
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("--tag: expected NAME=VALUE, found '{}'", SafeLine(tag)),
                  "example: --tag team=nlp");
    parsed.insert_or_assign(tag.substr(0, equals), tag.substr(equals + 1));
  }
  return parsed;
}

void AddFilterOptions(Command& command, std::string_view verb, JobFilter& filter) {
  AddSelectors(command, verb, filter.selectors);
  command.Text({"--older-than", "TIME",
                "Select only your jobs that ended at least this long ago, such as 12h or 30d; for "
                "unfinished jobs, the time since submission"},
               filter.older_than);
  command.Flag({"-y,--yes", "", "Do not ask for confirmation"}, filter.yes);
}

Result<Job> FindJob(Client& client, const std::optional<std::string>& id, const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(FoundJob found,
                           client.FindByWord(id ? std::string_view(*id) : kLatest, context.stop));
  if (id) NoteSelection(*id, found, context);
  return std::move(found.job);
}

Result<std::vector<Job>> FindJobs(Client& client, const std::vector<std::string>& ids,
                                  const Context& context) {
  std::vector<Job> jobs;
  const std::vector<std::string> newest{std::string(kLatest)};
  const std::vector<std::string>& words = ids.empty() ? newest : ids;
  auto found = Concurrently<Result<FoundJob>, std::string>(
      words, [&](const std::string& id) { return client.FindByWord(id, context.stop); });
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!found[i]) return Failure(std::move(found[i]).error());
    const bool known = std::ranges::any_of(
        jobs, [&](const Job& other) { return other.id() == found[i]->job.id(); });
    if (known) continue;
    NoteSelection(words[i], *found[i], context);
    jobs.push_back(std::move(found[i]->job));
  }
  return jobs;
}

Result<std::vector<Job>> FindJobs(Client& client, const std::vector<std::string>& ids,
                                  const JobSelectors& selectors, const Context& context) {
  if (!selectors.IsGiven()) return FindJobs(client, ids, context);
  KINETIC_RETURN_IF_ERROR(CheckExclusive(!ids.empty(), "ID", true, selectors.Option()));
  return FindSelected(client, selectors, context);
}

Result<std::vector<Job>> FindJobs(Client& client, const std::optional<std::string>& id,
                                  const JobSelectors& selectors, const Context& context) {
  const auto ids = id ? std::vector{*id} : std::vector<std::string>();
  return FindJobs(client, ids, selectors, context);
}

Status CheckSelection(const std::vector<std::string>& ids, const JobFilter& filter) {
  if (ids.empty() && !filter.IsGiven())
    return Fail(ErrorCode::kInvalidArgument, "no jobs are selected",
                "pass job IDs or names, or --all");
  const std::string_view option = filter.all                   ? "--all"
                                  : filter.state               ? "--state"
                                  : filter.selectors.IsGiven() ? filter.selectors.Option()
                                                               : "--older-than";
  return CheckExclusive(!ids.empty(), "ID", filter.IsGiven(), option);
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
  KINETIC_ASSIGN_OR_RETURN(const bool is_confirmed, Confirm(verb, listed, filter, context));
  if (!is_confirmed) return jobs;
  for (const JobSummary& job : listed) {
    KINETIC_ASSIGN_OR_RETURN(Job found, client.Find(job, context.stop));
    jobs.push_back(std::move(found));
  }
  return jobs;
}

}  // namespace kinetic::cli
