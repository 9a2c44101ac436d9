#include "commands/cancel.h"

#include "command_line/command.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "try.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace kinetic::cli {

void RegisterCancel(Command& parent) {
  Command& command = parent.Add(
      {.name = "cancel",
       .summary = "End jobs",
       .description = "Asks jobs to end, and ends all their processes after the grace period.\n"
                      "Returns when they have ended; one that has ended before stays as it is.",
       .usage = {"[OPTIONS] ID..."},
       .examples = {"kinetic cancel hello-3f"}});
  auto options = std::make_shared<CancelOptions>();
  command.Arguments({.names = "ID", .doc = "The jobs", .complete = Complete::kJob}, options->ids);
  command.Does([options](Context& context) { return Run(*options, context); });
}

Result<int> Run(const CancelOptions& options, Context& context) {
  CLI_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  // All are found before one is asked to end: what is mistyped changes nothing.
  CLI_ASSIGN_OR_RETURN(const std::vector<Job> jobs, FindJobs(client, options.ids, context));
  Value::List documents;
  for (const Job& job : jobs) {
    CLI_RETURN_IF_ERROR(job.Cancel(context.stop));
    CLI_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
    context.output.Line(fmt::format("{} {}", summary.id, Name(summary.state)));
    documents.push_back(ToDocument(summary));
  }
  if (context.output.IsJson()) context.output.Document(std::move(documents));
  return kSuccess;
}

}  // namespace kinetic::cli
