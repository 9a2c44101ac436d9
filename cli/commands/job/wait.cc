#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/output.h"
#include "context.h"
#include "documents.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace kinetic::cli {
namespace {

struct WaitOptions {
  std::string id;
};

Result<int> Run(const WaitOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, client.Find(options.id, context.stop));
  auto progress = context.output.StartProgress();
  progress->Follow(fmt::format("waiting for {}", job.id()));
  KINETIC_ASSIGN_OR_RETURN(const Outcome outcome,
                           job.Wait(progress.get(), context.stop, OutcomeContent::kState));
  progress.reset();
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
  ReportFailure(summary, outcome, context);
  if (context.output.IsJson()) context.output.Document(ToStateDocument(summary, outcome));
  return outcome.exit_code;
}

}  // namespace

void RegisterWait(Command& parent) {
  Command& command = parent.Add({.name = "wait",
                                 .summary = "Wait for a job to finish",
                                 .description = "Wait until a job finishes, and exit with its exit "
                                                "code. Does not print the job's output or value.",
                                 .usage = {"[OPTIONS] ID"},
                                 .examples = {"kinetic wait hello-3f && kinetic result hello-3f"}});
  auto options = std::make_shared<WaitOptions>();
  command.Argument(
      {.names = "ID", .doc = "Job ID or unique prefix", .complete = CompletionKind::kJob},
      options->id);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
