#include "commands/env_explain.h"

#include "command_line/command.h"
#include "commands/plan_view.h"
#include "context.h"
#include "exit_code.h"
#include "try.h"

#include <memory>

namespace kinetic::cli {

void RegisterEnvExplain(Command& parent) {
  Command& command = parent.Add(
      {.name = "explain",
       .summary = "Say why an environment is what it is",
       .description =
           "Shows what a job's environment is made from, its lock and the lock's age, and\n"
           "which input has changed since the last job of that name.\n"
           "Without JOB: job.yaml if it is here, else the folder as it is.",
       .usage = {"[OPTIONS] [JOB]"},
       .examples = {"kinetic env explain job.yaml", "kinetic env explain --json"},
       .takes_command = true});
  auto options = std::make_shared<EnvExplainOptions>();
  AddJobArguments(command, options->job);
  command.Does([options](Context& context) { return Run(*options, context); });
}

Result<int> Run(const EnvExplainOptions& options, Context& context) {
  CLI_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobNeeds::kPlace, context));
  CLI_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  CLI_ASSIGN_OR_RETURN(const auto explanation, client.ExplainEnvironment(spec, context.stop));
  ShowEnvironment(explanation, context);
  return kSuccess;
}

}  // namespace kinetic::cli
