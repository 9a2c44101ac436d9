#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/output.h"
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
  ValueOptions answer;
};

Result<int> Run(const ResultOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckValueOptions(options.answer));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, client.Find(options.id, context.stop));
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
  KINETIC_ASSIGN_OR_RETURN(const std::optional<Outcome> outcome, job.Collect(context.stop));
  if (!outcome)
    return Fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("job {} has not finished: its state is {}", summary.id, Name(summary.state)),
        fmt::format("wait for it: kinetic wait {}", summary.id));
  if (options.reference) {
    KINETIC_RETURN_IF_ERROR(
        WriteReferencedContent(job, *options.reference, options.answer, context));
    return kSuccess;
  }
  return WriteResult(job, summary, *outcome, options.answer, context);
}

}  // namespace

void RegisterResult(Command& parent) {
  Command& command = parent.Add(
      {.name = "result",
       .summary = "Print the result of a job",
       .description = "Print the value that the job's function returned, as JSON, or the exception "
                      "it raised. Exits\n"
                      "with the job's exit code.",
       .usage = {"[OPTIONS] ID"},
       .examples = {"kinetic result hello-3f", "kinetic result hello-3f --output weights.npy"}});
  auto options = std::make_shared<ResultOptions>();
  command.Argument(
      {.names = "ID", .doc = "Job ID or unique prefix", .complete = CompletionKind::kJob},
      options->id);
  AddValueOptions(command, options->answer);
  command.Text({"--ref", "REF", "Print the content that a \"$ref\" in the value refers to"},
               options->reference);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
