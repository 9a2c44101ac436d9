#include "kinetic/job_definition.h"
#include "kinetic/tasks.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "commands/job/unfinished.h"
#include "commands/submit/arguments.h"
#include "commands/submit/submission.h"
#include "context.h"
#include "output/text.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct RerunOptions {
  std::optional<std::string> job;
  JobArguments changes;
  SubmissionOptions submission;
  bool failed = false;
};

/// Returns the tasks of an array that did not succeed, also those that did not run.
///
/// @errors  kFailedPrecondition: all tasks succeeded, or the job is still active.
Result<std::vector<std::uint32_t>> FailedTasks(const Job& job, const JobSummary& summary,
                                               const Context& context) {
  if (!summary.tasks)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--failed: job {} has no tasks", summary.id),
                "only jobs with 'array' have tasks; leave out --failed");
  if (!IsTerminal(summary.state)) return Failure(NotFinished(summary));
  std::vector<bool> has_succeeded(summary.tasks->tasks);
  KINETIC_RETURN_IF_ERROR(Tasks(job).ListEnded(
      [&](const TaskSummary& task) -> Result<bool> {
        if (task.task < has_succeeded.size())
          has_succeeded[task.task] = task.state == JobState::kSucceeded;
        return true;
      },
      0, context.stop));
  std::vector<std::uint32_t> failed;
  for (std::uint32_t task = 0; task < has_succeeded.size(); ++task)
    if (!has_succeeded[task]) failed.push_back(task);
  if (!failed.empty()) return failed;
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("--failed: all tasks of job {} succeeded", summary.id));
}

/// Returns the change that replaces the arguments of a job's program by the words after "--".
Result<JobFileShortcut> NewArguments(const Job& original, const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const JobDefinition definition, original.Definition(context.stop));
  const JobSpec& spec = definition.spec;
  if (!spec.run)
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("job {} calls a function, which has no command-line arguments", original.id()),
        "to change an argument: --arg NAME=VALUE");
  if (!spec.run->shell.empty() || !spec.args.named.empty() || !spec.args.positional.empty())
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("cannot replace the arguments of job {}, because {}", original.id(),
                    spec.run->shell.empty() ? "its job file has args" : "it runs a shell command"),
        spec.run->shell.empty() ? "to change an argument: --arg NAME=VALUE"
                                : "to replace the command: --set 'run=COMMAND'");
  Value::List words;
  for (std::size_t i = 0; i < ProgramWords(spec.run->argv); ++i)
    words.emplace_back(spec.run->argv[i]);
  words.insert(words.end(), context.rest.begin(), context.rest.end());
  return JobFileShortcut{"the arguments after --", "run", Value(std::move(words)).ToJson()};
}

Result<int> Run(const RerunOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckSubmissionOptions(options.submission));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job original, FindJob(client, options.job, context));
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, original.Summary(context.stop));
  if (!options.job)
    context.output.Note(
        fmt::format("your newest job: {} ({})", original.id(), SafeLine(summary.name)));
  JobFileOptions changes = ChangesOf(options.changes, context);
  if (context.has_rest) {
    KINETIC_ASSIGN_OR_RETURN(auto arguments, NewArguments(original, context));
    changes.shortcuts.push_back(std::move(arguments));
  }
  auto progress = context.output.StartProgress();
  const SubmitOptions submit{
      .id = options.submission.id.value_or(""), .observer = progress.get(), .stop = context.stop};
  std::vector<std::uint32_t> failed;
  if (options.failed) {
    KINETIC_ASSIGN_OR_RETURN(failed, FailedTasks(original, summary, context));
    context.output.Note(fmt::format("{} of {} tasks", failed.size(), summary.tasks->tasks));
  }
  auto job = options.failed ? client.RerunTasks(original, failed, changes, submit)
                            : client.Rerun(original, changes, submit);
  if (!job) return SubmitError(job.error(), context);
  const std::string name = options.changes.name.value_or(summary.name);
  return FinishSubmission(*job, name, options.submission, std::move(progress), context);
}

}  // namespace

void RegisterRerun(Command& parent) {
  Command& command = parent.Add(
      {.name = "rerun",
       .summary = "Submit a job again",
       .description =
           "Submit the code, data, packages, and arguments of an earlier job again, from "
           "the store, and follow\n"
           "the new job. The job's files are not needed. Secrets are taken from your "
           "environment. Options\n"
           "change arguments, variables, and resources. Words after '--' replace the arguments of "
           "a "
           "script or program.",
       .usage = {"[OPTIONS] [ID]", "[OPTIONS] ID -- [ARGUMENT...]"},
       .examples = {"kinetic rerun", "kinetic rerun hello-3f --arg epochs=10 --detach",
                    "kinetic rerun hello-3f -- --epochs 10", "kinetic rerun sweep-7 --failed",
                    "kinetic rerun hello-3f --memory 32Gi --set timeouts.run=2h"},
       .takes_rest = true});
  auto options = std::make_shared<RerunOptions>();
  AddJobArgument(command, options->job);
  command.Flag({"--failed", "", "Run only the tasks of an array that did not succeed"},
               options->failed);
  AddJobChanges(command, options->changes);
  AddJobShortcuts(command, options->changes);
  AddSubmissionOptions(command, options->submission);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
