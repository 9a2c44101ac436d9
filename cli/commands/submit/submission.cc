#include "commands/submit/submission.h"

#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "context.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace kinetic::cli {
namespace {

void PrintDetached(const Job& job, const std::string& name, Context& context) {
  context.output.Line(job.id());
  if (context.output.IsJson())
    context.output.Document(Value::Map{{"id", job.id()}, {"name", name}, {"detached", true}});
  context.output.Note(fmt::format("to follow it: kinetic attach {}", job.id()));
}

}  // namespace

void AddSubmissionOptions(Command& command, SubmissionOptions& options) {
  command.Flag({"-d,--detach", "", "Print the job's ID and exit once the job is submitted"},
               options.detach);
  command.Text({"--id", "ID", "Job ID; if the same job already exists with this ID, attach to it"},
               options.id);
  command.Flag({"--cancel-on-interrupt", "", "Ctrl-C cancels the job"},
               options.follow.cancel_on_interrupt);
  AddValueOptions(command, options.follow.answer);
}

Status CheckSubmissionOptions(const SubmissionOptions& options) {
  constexpr std::string_view kDetach = "--detach";
  const bool detach = options.detach;
  KINETIC_RETURN_IF_ERROR(CheckExclusive(detach, kDetach, options.follow.answer.raw, "--raw"));
  KINETIC_RETURN_IF_ERROR(
      CheckExclusive(detach, kDetach, options.follow.answer.output.has_value(), "--output"));
  KINETIC_RETURN_IF_ERROR(
      CheckExclusive(detach, kDetach, options.follow.cancel_on_interrupt, "--cancel-on-interrupt"));
  if (options.id && options.id->empty())
    return Fail(ErrorCode::kInvalidArgument, "--id: expected an ID, found nothing",
                "omit --id to let kinetic choose one");
  return CheckValueOptions(options.follow.answer);
}

Failure SubmitError(const Error& error, const Context& context) {
  if (error.code == ErrorCode::kCancelled && context.stop.stop_requested())
    return Fail(ErrorCode::kCancelled, "interrupted before the job was submitted",
                "nothing was submitted; rerun the command to resume");
  return Failure(error);
}

Result<int> FinishSubmission(const Job& job, const std::string& name,
                             const SubmissionOptions& options, std::unique_ptr<Progress> progress,
                             Context& context) {
  if (options.detach) {
    progress.reset();
    PrintDetached(job, name, context);
    return kSuccess;
  }
  return Follow(job, options.follow, std::move(progress), context);
}

}  // namespace kinetic::cli
