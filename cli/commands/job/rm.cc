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
  bool outputs = false;
};

/// Removes the outputs of a removed job, if it has any.
Status RemoveOutputs(Client& client, const std::string& id, const Context& context) {
  const auto removed = client.RemoveOutputs(id, context.stop);
  if (!removed && removed.error().code != ErrorCode::kNotFound) return Failure(removed.error());
  return {};
}

Result<int> Finish(Value::List removed, Context& context) {
  if (context.output.IsJson()) context.output.Document(Value::Map{{"removed", std::move(removed)}});
  return kSuccess;
}

/// Removes jobs that may run, or that cannot be found because their objects are damaged.
Result<int> RemoveAnyway(Client& client, const RmOptions& options, Context& context) {
  // IDs that are not found come first: a mistyped one fails before any job is removed.
  std::vector<std::string> ids;
  for (const std::string& given : options.ids) {
    const auto job = client.Find(given, context.stop);
    if (!job && job.error().code == ErrorCode::kInvalidArgument) return Failure(job.error());
    if (job) {
      ids.push_back(job->id());
    } else {
      ids.insert(ids.begin(), given);
    }
  }
  Warnings warnings(context.output);
  Value::List removed;
  for (const std::string& id : ids) {
    KINETIC_RETURN_IF_ERROR(client.ForceRemove(id, context.stop, &warnings));
    if (options.outputs) KINETIC_RETURN_IF_ERROR(RemoveOutputs(client, id, context));
    context.output.Line(id);
    removed.emplace_back(id);
  }
  return Finish(std::move(removed), context);
}

Result<int> Run(const RmOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  if (options.force) return RemoveAnyway(client, options, context);
  // All jobs are found before any is removed, so that a mistyped ID has no effect.
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs, FindJobs(client, options.ids, context));
  Value::List removed;
  for (const Job& job : jobs) {
    KINETIC_RETURN_IF_ERROR(client.Remove(job.id(), context.stop));
    if (options.outputs) KINETIC_RETURN_IF_ERROR(RemoveOutputs(client, job.id(), context));
    context.output.Line(job.id());
    removed.emplace_back(job.id());
  }
  return Finish(std::move(removed), context);
}

}  // namespace

void RegisterRm(Command& parent) {
  Command& command =
      parent.Add({.name = "rm",
                  .summary = "Remove finished jobs",
                  .description = "Remove the record, log and result of finished jobs. Outputs are "
                                 "kept unless --outputs is\n"
                                 "given. 'kinetic gc' removes bundles and environments.",
                  .usage = {"[OPTIONS] ID..."},
                  .examples = {"kinetic rm hello-3f hello-9c", "kinetic rm --force hello-3f"}});
  auto options = std::make_shared<RmOptions>();
  command.Arguments(
      {.names = "ID", .doc = "Job IDs or unique prefixes", .complete = CompletionKind::kJob},
      options->ids);
  command.Flag({"-f,--force", "",
                "Cancel running jobs first, and remove jobs whose machine is gone or whose objects "
                "are damaged"},
               options->force);
  command.Flag({"--outputs", "", "Also remove the outputs"}, options->outputs);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
