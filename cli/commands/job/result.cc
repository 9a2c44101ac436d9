#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/job/output.h"
#include "commands/job/value_parts.h"
#include "context.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace kinetic::cli {
namespace {

struct ResultOptions {
  std::string id;
  std::optional<std::string> reference;
  std::optional<std::string> folder;
  ValueOptions answer;
};

/// Writes the part that --ref selects, or the arrays for --to.
Result<int> WriteParts(const ResultOptions& options, const Job& job, const Outcome& outcome,
                       Context& context) {
  const Value* part = &outcome.value;
  if (options.reference) {
    KINETIC_ASSIGN_OR_RETURN(part, FindPart(outcome.value, *options.reference));
  }
  KINETIC_RETURN_IF_ERROR(options.folder ? WriteArrays(job, *part, *options.folder, context)
                                         : WritePart(job, *part, options.answer, context));
  return kSuccess;
}

Result<int> Run(const ResultOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckValueOptions(options.answer));
  KINETIC_RETURN_IF_ERROR(CheckExclusive(options.folder.has_value(), "--to",
                                         options.answer.output.has_value(), "--output"));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, client.Find(options.id, context.stop));
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
  KINETIC_ASSIGN_OR_RETURN(const std::optional<Outcome> outcome, job.Collect(context.stop));
  if (!outcome)
    return Fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("job {} has not finished: its state is {}", summary.id, Name(summary.state)),
        fmt::format("wait for it: kinetic wait {}", summary.id));
  if (options.reference && IsDigest(*options.reference)) {
    KINETIC_RETURN_IF_ERROR(
        WriteReferencedContent(job, *options.reference, options.answer, context));
    return kSuccess;
  }
  const bool has_value = summary.function && outcome->state == JobState::kSucceeded;
  if (has_value && (options.reference || options.folder))
    return WriteParts(options, job, *outcome, context);
  if (!summary.function && (options.reference || options.folder))
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("job {} has no value: it runs a command", summary.id));
  return WriteResult(job, summary, *outcome, options.answer, context);
}

}  // namespace

void RegisterResult(Command& parent) {
  Command& command = parent.Add(
      {.name = "result",
       .summary = "Print the result of a job",
       .description =
           "Print the value that the job's function returned, as JSON, or the exception "
           "it raised. Tuples are\n"
           "printed as lists, and None prints nothing; --json has the exact value. Exits "
           "with the job's exit\n"
           "code.",
       .usage = {"[OPTIONS] ID"},
       .examples = {"kinetic result hello-3f", "kinetic result hello-3f --output weights.npy",
                    "kinetic result hello-3f --ref metrics.loss",
                    "kinetic result hello-3f --to arrays"}});
  auto options = std::make_shared<ResultOptions>();
  command.Argument(
      {.names = "ID", .doc = "Job ID or unique prefix", .complete = CompletionKind::kJob},
      options->id);
  AddValueOptions(command, options->answer);
  command.Text({"--ref", "REF",
                "Print one part of the value, by its path such as 'history[-1].loss', or the "
                "content with the digest of a \"$ref\""},
               options->reference);
  command.Text({"--to", "DIR",
                "Write each array of the value to an .npy file in a folder, and print the paths",
                CompletionKind::kFolder},
               options->folder);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
