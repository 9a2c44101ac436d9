#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct RmOptions {
  std::vector<std::string> ids;
  bool force = false;
};

Result<int> Run(const RmOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  // All jobs are found before any is removed, so that a mistyped ID has no effect.
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs, FindJobs(client, options.ids, context));
  Value::List removed;
  for (const Job& job : jobs) {
    if (options.force) KINETIC_RETURN_IF_ERROR(job.Cancel(context.stop));
    KINETIC_RETURN_IF_ERROR(client.Remove(job.id(), context.stop));
    context.output.Line(job.id());
    removed.emplace_back(job.id());
  }
  if (context.output.IsJson()) context.output.Document(Value::Map{{"removed", std::move(removed)}});
  return kSuccess;
}

}  // namespace

void RegisterRm(Command& parent) {
  Command& command =
      parent.Add({.name = "rm",
                  .summary = "Remove finished jobs",
                  .description = "Remove the record, log and result of finished jobs. Outputs are "
                                 "kept. 'kinetic gc' removes\n"
                                 "bundles and environments.",
                  .usage = {"[OPTIONS] ID..."},
                  .examples = {"kinetic rm hello-3f hello-9c", "kinetic rm --force hello-3f"}});
  auto options = std::make_shared<RmOptions>();
  command.Arguments(
      {.names = "ID", .doc = "Job IDs or unique prefixes", .complete = CompletionKind::kJob},
      options->ids);
  command.Flag({"-f,--force", "", "Cancel running jobs first"}, options->force);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
