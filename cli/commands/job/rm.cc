#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/concurrently.h"
#include "commands/job/selection.h"
#include "context.h"
#include "exit_code.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct RmOptions {
  std::vector<std::string> ids;
  JobFilter filter;
  bool force = false;
  bool outputs = false;
};

/// Removes the outputs of a removed job, if it has any.
Status RemoveOutputs(Client& client, const std::string& id, const Context& context) {
  const auto removed = client.RemoveOutputs(id, {}, context.stop);
  if (!removed && removed.error().code != ErrorCode::kNotFound) return Failure(removed.error());
  return {};
}

/// Before removing any job, checks that all of them have ended.
Status CheckAllEnded(const std::vector<Job>& jobs, const Context& context) {
  const auto found = Concurrently<Result<JobSummary>, Job>(
      jobs, [&](const Job& job) { return job.Summary(context.stop); });
  for (const auto& summary : found) {
    // The submission was interrupted, or another client has removed the job.
    if (!summary && summary.error().code == ErrorCode::kNotFound) continue;
    if (!summary) return Failure(summary.error());
    if (IsTerminal(summary->state)) continue;
    return Fail(ErrorCode::kFailedPrecondition,
                "job " + summary->id + " is not finished; nothing was done",
                "cancel it: kinetic cancel " + summary->id);
  }
  return {};
}

Result<int> Finish(Value::List removed, Context& context) {
  if (context.output.IsJson()) context.output.Document(Value::Map{{"removed", std::move(removed)}});
  return kSuccess;
}

std::vector<std::string> IdsOf(const std::vector<Job>& jobs) {
  std::vector<std::string> ids;
  ids.reserve(jobs.size());
  for (const Job& job : jobs) ids.push_back(job.id());
  return ids;
}

/// Removes jobs that may run, or that cannot be found because their objects are damaged.
Result<int> RemoveAnyway(Client& client, const std::vector<std::string>& words, bool outputs,
                         Context& context) {
  // IDs that are not found come first: a mistyped one fails before any job is removed.
  std::vector<std::string> ids;
  for (const std::string& given : words) {
    const auto job = FindJob(client, given, context);
    if (!job && job.error().code == ErrorCode::kInvalidArgument) return Failure(job.error());
    if (job && std::ranges::find(ids, job->id()) != ids.end()) continue;
    if (job) {
      ids.push_back(job->id());
    } else {
      ids.insert(ids.begin(), given);
    }
  }
  Warnings warnings(context.output);
  Value::List removed;
  for (const std::string& id : ids) {
    KINETIC_RETURN_IF_ERROR(client.ForceRemove(id, &warnings, context.stop));
    if (outputs) KINETIC_RETURN_IF_ERROR(RemoveOutputs(client, id, context));
    context.output.Line(id);
    removed.emplace_back(id);
  }
  return Finish(std::move(removed), context);
}

/// Removes jobs that have ended. Lists those that are removed, and reports the first error.
Result<int> RemoveFinished(Client& client, const std::vector<Job>& jobs, bool outputs,
                           Context& context) {
  const auto done = Concurrently<Status, Job>(jobs, [&](const Job& job) -> Status {
    KINETIC_RETURN_IF_ERROR(client.Remove(job, context.stop));
    return outputs ? RemoveOutputs(client, job.id(), context) : Status();
  });
  Value::List removed;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!done[i]) continue;
    context.output.Line(jobs[i].id());
    removed.emplace_back(jobs[i].id());
  }
  for (const Status& each : done) KINETIC_RETURN_IF_ERROR(each);
  return Finish(std::move(removed), context);
}

Result<int> Run(const RmOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckSelection(options.ids, options.filter));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  if (options.force && !options.ids.empty())
    return RemoveAnyway(client, options.ids, options.outputs, context);
  // All jobs are found before any is removed, so that a mistyped ID has no effect.
  const Selectable selectable = options.force ? Selectable::kAll : Selectable::kFinished;
  KINETIC_ASSIGN_OR_RETURN(
      const std::vector<Job> jobs,
      SelectJobs(client, options.ids, options.filter, selectable, "remove", context));
  if (options.force) return RemoveAnyway(client, IdsOf(jobs), options.outputs, context);
  if (jobs.size() > 1 && !options.ids.empty()) {
    KINETIC_RETURN_IF_ERROR(CheckAllEnded(jobs, context));
  }
  return RemoveFinished(client, jobs, options.outputs, context);
}

}  // namespace

void RegisterRm(Command& parent) {
  Command& command = parent.Add(
      {.name = "rm",
       .summary = "Remove finished jobs",
       .description = "Remove the record, log, and result of finished jobs. Outputs are "
                      "kept unless --outputs is\n"
                      "given. 'kinetic gc' removes bundles and environments.",
       .usage = {"[OPTIONS] ID...",
                 "[OPTIONS] --all|--name NAME|--tag NAME=VALUE|--state STATE|--older-than TIME"},
       .examples = {"kinetic rm hello c5xk", "kinetic rm --name sweep --state failed",
                    "kinetic rm --all --older-than 30d --yes"}});
  auto options = std::make_shared<RmOptions>();
  AddJobsArgument(command, options->ids);
  command.Flag({"--all", "", "Remove all your finished jobs; with --force, also unfinished ones"},
               options->filter.all);
  command.Text({.names = "--state",
                .placeholder = "STATE",
                .doc = "Remove your jobs in this state",
                .choices = {"succeeded", "failed", "cancelled", "preempted", "lost"}},
               options->filter.state);
  AddFilterOptions(command, "Remove", options->filter);
  command.Flag({"-f,--force", "",
                "Cancel running jobs first, and remove jobs whose machine is gone or whose objects "
                "are damaged"},
               options->force);
  command.Flag({"--outputs", "", "Also remove the outputs"}, options->outputs);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
