#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/submit/arguments.h"
#include "commands/submit/missing_file.h"
#include "commands/submit/plan_view.h"
#include "commands/submit/price.h"
#include "commands/submit/submission.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr const char* kNotInteractive =
    "interactive jobs are not supported yet; a job has no terminal and no input";

struct RunOptions {
  JobArguments job;
  SubmissionOptions submission;
  bool dry_run = false;
  bool locked = false;
  bool relock = false;
};

Result<int> DryRun(Client& client, const JobSpec& spec, const SubmitOptions& submit,
                   Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const Plan plan, client.Prepare(spec, submit));
  ShowPlan(plan, spec, context);
  return kSuccess;
}

Result<int> Run(const RunOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckExclusive(options.locked, "--locked", options.relock, "--relock"));
  KINETIC_RETURN_IF_ERROR(CheckSubmissionOptions(options.submission));
  KINETIC_ASSIGN_OR_RETURN(JobSpec spec, LoadJob(options.job, JobInput::kRequired, context));
  if (options.submission.follow.answer.output && !spec.function)
    return Fail(
        ErrorCode::kInvalidArgument, "--output: a command has no value to write",
        "write a file to $KINETIC_OUTPUT_DIR in the job; 'kinetic outputs get' downloads it");
  auto client = OpenClient(context, spec);
  if (!client) return SubmitError(client.error(), context);
  SubmissionOptions submission = options.submission;
  KINETIC_ASSIGN_OR_RETURN(const Settings settings, SettingsFor(context, spec));
  // --target and KINETIC_TARGET take precedence over the job file.
  if (!spec.target.empty()) spec.target = settings.Text(SettingId::kTarget);
  submission.follow.price_per_hour = NotePrice(spec, settings, context);
  submission.follow.advise = [&](const Outcome& outcome) {
    return AdviceOnMissingFile(outcome, spec, *client, context);
  };
  auto progress = context.output.StartProgress();
  const SubmitOptions submit{.id = options.submission.id.value_or(""),
                             .locked = options.locked,
                             .relock = options.relock,
                             .observer = progress.get(),
                             .stop = context.stop};
  if (options.dry_run) return DryRun(*client, spec, submit, context);
  if (options.submission.id) submission.follow.submission_begun = std::chrono::system_clock::now();
  auto job = client->Submit(spec, submit);
  if (!job) return SubmitError(job.error(), context);
  return FinishSubmission(*job, spec.name, submission, std::move(progress), context);
}

}  // namespace

void RegisterRun(Command& parent) {
  Command& command = parent.Add(
      {.name = "run",
       .summary = "Submit a job, show its output, and print its result",
       .description = "Upload the code, prepare the environment, submit the job, and follow it "
                      "until it finishes. Exits\n"
                      "with the job's exit code. Ctrl-C leaves the job running.",
       .usage = {"[OPTIONS] [JOB]", "[OPTIONS] SCRIPT.py [ARGUMENT...]",
                 "[OPTIONS] -- PROGRAM [ARGUMENT...]"},
       .examples = {"kinetic run", "kinetic run job.yaml --arg epochs=3 --detach",
                    "kinetic run --memory 8Gi train.py --epochs 3",
                    "kinetic run train:main --arg epochs=3",
                    "kinetic run train:main --over lr=0.1,0.01 --over seed=1..5",
                    "kinetic run -- make report", "kinetic run --dry-run"},
       .takes_command = true,
       .refused =
           {{"-it", kNotInteractive},
            {"-ti", kNotInteractive},
            {"-i", kNotInteractive},
            {"-t", kNotInteractive},
            {"--interactive", kNotInteractive},
            {"--tty", kNotInteractive},
            {"-m",
             "modules are run as commands: kinetic run -- python3 -m MODULE; to call a function: "
             "kinetic run MODULE:FUNCTION"}},
       .also = {"--python", "--target"}});
  auto options = std::make_shared<RunOptions>();
  AddJobArguments(command, options->job);
  AddJobShortcuts(command, options->job);
  AddArrayOptions(command, options->job);
  AddSubmissionOptions(command, options->submission);
  command.Flag({"--dry-run", "", "Show what would be submitted, without submitting it"},
               options->dry_run);
  command.Flag(
      {"--locked", "", "Use the stored dependency lock and never resolve the dependencies"},
      options->locked);
  command.Flag({"--relock", "", "Resolve the dependencies again"}, options->relock);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
