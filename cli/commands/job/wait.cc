#include "kinetic/try.h"
#include "kinetic/waiting.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/follow.h"
#include "commands/job/selection.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "settings/duration.h"
#include "time_limit.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct WaitOptions {
  std::vector<std::string> ids;
  JobSelectors selectors;
  bool any = false;
  std::optional<std::string> timeout;
};

/// Waits for one job and shows its phases.
Result<std::vector<EndedJob>> WaitForOne(const Job& job, Progress& progress,
                                         const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(
      Outcome outcome,
      job.Wait({.stop = stop, .content = OutcomeContent::kState, .observer = &progress}));
  return std::vector<EndedJob>{{0, std::move(outcome)}};
}

Result<std::vector<EndedJob>> WaitForAll(const std::vector<Job>& jobs,
                                         const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(std::vector<Outcome> outcomes,
                           WaitAll(jobs, {.stop = stop, .content = OutcomeContent::kState}));
  std::vector<EndedJob> ended;
  ended.reserve(outcomes.size());
  for (Outcome& outcome : outcomes) ended.push_back({ended.size(), std::move(outcome)});
  return ended;
}

Result<std::vector<EndedJob>> WaitForAny(const std::vector<Job>& jobs,
                                         const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(EndedJob first,
                           WaitAny(jobs, {.stop = stop, .content = OutcomeContent::kState}));
  return std::vector<EndedJob>{std::move(first)};
}

/// Sends no request, except to complete a JSON answer, which is written without it if it fails.
///
/// @param before  the summaries before the wait, for JSON.
int Report(const std::vector<Job>& jobs, const std::vector<EndedJob>& ended, bool any,
           const std::vector<JobSummary>& before, Context& context) {
  int code = kSuccess;
  Value::List documents;
  for (const EndedJob& each : ended) {
    const Job& job = jobs[each.index];
    ReportFailure(each.outcome, context);
    if (any) context.output.Line(job.id());
    if (context.output.IsJson())
      documents.push_back(
          ToStateDocument(job.Summary(context.stop).value_or(before[each.index]), each.outcome));
    if (code == kSuccess) code = each.outcome.exit_code;
  }
  if (context.output.IsJson()) context.output.Document(OneOrList(std::move(documents)));
  return code;
}

int ReportTimeout(const std::vector<Job>& jobs, const WaitOptions& options, Context& context) {
  const std::string what = jobs.size() == 1
                               ? fmt::format("job {} has not finished", jobs.front().id())
                               : fmt::format("{} of the {} jobs have finished",
                                             options.any ? "none" : "not all", jobs.size());
  context.output.ShowError({ErrorCode::kDeadlineExceeded,
                            fmt::format("timed out after {}: {}", *options.timeout, what),
                            "jobs continue; see 'kinetic ps'",
                            {}},
                           kWaitTimeout);
  return kWaitTimeout;
}

Result<int> Run(const WaitOptions& options, Context& context) {
  std::optional<std::chrono::milliseconds> timeout;
  if (options.timeout) {
    KINETIC_ASSIGN_OR_RETURN(timeout, settings::ParseDurationOf("--timeout", *options.timeout));
  }
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs,
                           FindJobs(client, options.ids, options.selectors, context));
  std::vector<JobSummary> before;
  for (std::size_t i = 0; context.output.IsJson() && i < jobs.size(); ++i) {
    KINETIC_ASSIGN_OR_RETURN(before.emplace_back(), jobs[i].Summary(context.stop));
  }
  std::optional<TimeLimit> limit;
  if (timeout) limit.emplace(*timeout, context.stop);
  const std::stop_token stop = limit ? limit->token() : context.stop;
  auto progress = context.output.StartProgress();
  progress->Follow(jobs.size() == 1 ? fmt::format("waiting for {}", jobs.front().id())
                                    : fmt::format("waiting for {} jobs", jobs.size()),
                   {});
  auto ended = jobs.size() == 1 ? WaitForOne(jobs.front(), *progress, stop)
               : options.any    ? WaitForAny(jobs, stop)
                                : WaitForAll(jobs, stop);
  progress.reset();
  if (ended) return Report(jobs, *ended, options.any, before, context);
  const bool timed_out = ended.error().code == ErrorCode::kCancelled && stop.stop_requested() &&
                         !context.stop.stop_requested();
  if (timed_out) return ReportTimeout(jobs, options, context);
  if (context.stop.stop_requested())
    context.output.Note(
        jobs.size() == 1 ? fmt::format("\nno longer waiting: job {} continues", jobs.front().id())
                         : "\nno longer waiting: the jobs continue");
  return Failure(std::move(ended).error());
}

}  // namespace

void RegisterWait(Command& parent) {
  Command& command = parent.Add(
      {.name = "wait",
       .summary = "Wait for jobs to finish",
       .description =
           "Wait until jobs finish, and exit with the exit code of the first one, in the "
           "given order, that\n"
           "did not succeed. Does not print output or values. Without ID, waits for your "
           "newest job. Exits\n"
           "with 119 if --timeout expires; the jobs continue.",
       .usage = {"[OPTIONS] [ID...]"},
       .examples = {"kinetic wait hello && kinetic result hello", "kinetic wait --any hello c5xk",
                    "kinetic wait --name sweep --timeout 10m"}});
  auto options = std::make_shared<WaitOptions>();
  AddJobsArgument(command, options->ids);
  AddSelectors(command, "Wait for", options->selectors);
  command.Flag({"--any", "", "Wait until one of the jobs has finished, and print its ID"},
               options->any);
  command.Text({"--timeout", "TIME", "Maximum time to wait, such as 90s or 10m"}, options->timeout);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
