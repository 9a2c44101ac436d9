#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/job/arguments.h"
#include "commands/job/output.h"
#include "commands/job/plan_view.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

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
  std::optional<std::string> id;
  bool detach = false;
  bool dry_run = false;
  bool locked = false;
  bool relock = false;
  bool cancel_on_interrupt = false;
  ValueOptions answer;
};

/// Reports a failed submission. Uses kNotSubmitted unless the job itself is invalid.
Failure SubmitError(const Error& error, const Context& context) {
  if (error.code == ErrorCode::kCancelled && context.stop.stop_requested())
    return Fail(ErrorCode::kCancelled, "interrupted before the job was submitted",
                "nothing was submitted; rerun the command to resume");
  return Failure(error);
}

/// Rejects mutually exclusive options.
Status CheckOptions(const RunOptions& options) {
  constexpr std::string_view kDetach = "--detach";
  const bool detach = options.detach;
  KINETIC_RETURN_IF_ERROR(CheckExclusive(options.locked, "--locked", options.relock, "--relock"));
  KINETIC_RETURN_IF_ERROR(CheckExclusive(detach, kDetach, options.answer.raw, "--raw"));
  KINETIC_RETURN_IF_ERROR(
      CheckExclusive(detach, kDetach, options.answer.output.has_value(), "--output"));
  KINETIC_RETURN_IF_ERROR(
      CheckExclusive(detach, kDetach, options.cancel_on_interrupt, "--cancel-on-interrupt"));
  if (options.id && options.id->empty())
    return Fail(ErrorCode::kInvalidArgument, "--id: expected an ID, found nothing",
                "omit --id to let kinetic choose one");
  return CheckValueOptions(options.answer);
}

Result<int> PrintDetached(const Job& job, const JobSpec& spec, Context& context) {
  context.output.Line(job.id());
  if (context.output.IsJson())
    context.output.Document(Value::Map{{"id", job.id()}, {"name", spec.name}, {"detached", true}});
  context.output.Note(fmt::format("follow it with: kinetic attach {}", job.id()));
  return kSuccess;
}

Result<int> DryRun(Client& client, const JobSpec& spec, const SubmitOptions& submit,
                   Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const Plan plan, client.Prepare(spec, submit, context.stop));
  ShowPlan(plan, context);
  return kSuccess;
}

Result<int> Run(const RunOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckOptions(options));
  KINETIC_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobInput::kRequired, context));
  auto client = OpenClient(context, spec);
  if (!client) return SubmitError(client.error(), context);
  auto progress = context.output.StartProgress();
  const SubmitOptions submit{.id = options.id.value_or(""),
                             .locked = options.locked,
                             .relock = options.relock,
                             .observer = progress.get()};
  if (options.dry_run) return DryRun(*client, spec, submit, context);
  auto job = client->Submit(spec, submit, context.stop);
  if (!job) return SubmitError(job.error(), context);
  if (options.detach) {
    progress.reset();
    return PrintDetached(*job, spec, context);
  }
  const FollowOptions follow{.cancel_on_interrupt = options.cancel_on_interrupt,
                             .answer = options.answer};
  return Follow(*job, follow, std::move(progress), context);
}

}  // namespace

void RegisterRun(Command& parent) {
  Command& command = parent.Add(
      {.name = "run",
       .summary = "Submit a job, show its output and print its result",
       .description = "Upload the code, prepare the environment, submit the job and follow it "
                      "until it finishes. Exits\n"
                      "with the job's exit code. Ctrl-C leaves the job running.",
       .usage = {"[OPTIONS] [JOB]", "[OPTIONS] SCRIPT.py [ARGUMENT...]",
                 "[OPTIONS] -- PROGRAM [ARGUMENT...]"},
       .examples = {"kinetic run", "kinetic run job.yaml --arg epochs=3 --detach",
                    "kinetic run --memory 8Gi train.py --epochs 3",
                    "kinetic run train:main --arg epochs=3", "kinetic run -- make report",
                    "kinetic run --dry-run"},
       .takes_command = true,
       .refused = {{"-it", kNotInteractive},
                   {"-ti", kNotInteractive},
                   {"-i", kNotInteractive},
                   {"-t", kNotInteractive},
                   {"--interactive", kNotInteractive},
                   {"--tty", kNotInteractive}}});
  auto options = std::make_shared<RunOptions>();
  AddJobArguments(command, options->job);
  AddJobShortcuts(command, options->job);
  command.Flag({"-d,--detach", "", "Print the job's ID and exit once the job is submitted"},
               options->detach);
  command.Flag({"--dry-run", "", "Show what would be submitted, without submitting it"},
               options->dry_run);
  command.Text({"--id", "ID", "Job ID; if the same job already exists with this ID, attach to it"},
               options->id);
  command.Flag(
      {"--locked", "", "Use the stored dependency lock and never resolve the dependencies"},
      options->locked);
  command.Flag({"--relock", "", "Resolve the dependencies again"}, options->relock);
  command.Flag({"--cancel-on-interrupt", "", "Ctrl-C cancels the job"},
               options->cancel_on_interrupt);
  AddValueOptions(command, options->answer);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
