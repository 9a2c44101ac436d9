#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/arguments.h"
#include "commands/job/selection.h"
#include "commands/job/submission.h"
#include "context.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

struct RerunOptions {
  std::optional<std::string> job;
  JobArguments changes;
  SubmissionOptions submission;
};

Result<int> Run(const RerunOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckSubmissionOptions(options.submission));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job original, FindJob(client, options.job, context));
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, original.Summary(context.stop));
  auto progress = context.output.StartProgress();
  const SubmitOptions submit{.id = options.submission.id.value_or(""), .observer = progress.get()};
  auto job = client.Rerun(original, ChangesOf(options.changes, context), submit, context.stop);
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
           "change arguments, variables, and resources.",
       .usage = {"[OPTIONS] [ID]"},
       .examples = {"kinetic rerun", "kinetic rerun hello-3f --arg epochs=10 --detach",
                    "kinetic rerun hello-3f --memory 32Gi --set timeouts.run=2h"}});
  auto options = std::make_shared<RerunOptions>();
  AddJobArgument(command, options->job);
  AddJobChanges(command, options->changes);
  AddJobShortcuts(command, options->changes);
  AddSubmissionOptions(command, options->submission);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
