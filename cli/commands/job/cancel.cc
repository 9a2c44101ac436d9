#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct CancelOptions {
  std::vector<std::string> ids;
};

Result<int> Run(const CancelOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  // All jobs are found before any is cancelled, so that a mistyped ID has no effect.
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs, FindJobs(client, options.ids, context));
  Value::List documents;
  for (const Job& job : jobs) {
    KINETIC_RETURN_IF_ERROR(job.Cancel(context.stop));
    KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
    context.output.Line(fmt::format("{} {}", summary.id, Name(summary.state)));
    documents.push_back(ToDocument(summary));
  }
  if (context.output.IsJson()) context.output.Document(std::move(documents));
  return kSuccess;
}

}  // namespace

void RegisterCancel(Command& parent) {
  Command& command =
      parent.Add({.name = "cancel",
                  .summary = "Cancel jobs",
                  .description = "Ask jobs to stop, and end all their processes after the grace "
                                 "period. Returns when the jobs have\n"
                                 "ended. Jobs that have already ended are left unchanged.",
                  .usage = {"[OPTIONS] ID..."},
                  .examples = {"kinetic cancel hello-3f"}});
  auto options = std::make_shared<CancelOptions>();
  command.Arguments(
      {.names = "ID", .doc = "Job IDs or unique prefixes", .complete = CompletionKind::kJob},
      options->ids);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
