#include "kinetic/environments.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/submit/arguments.h"
#include "commands/submit/plan_view.h"
#include "context.h"
#include "exit_code.h"

#include <memory>

namespace kinetic::cli {
namespace {

struct EnvExplainOptions {
  JobArguments job;
};

Result<int> Run(const EnvExplainOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobInput::kOptional, context));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  KINETIC_ASSIGN_OR_RETURN(const auto explanation,
                           client.environments().Explain(spec, context.stop));
  ShowEnvironment(explanation, context);
  return kSuccess;
}

}  // namespace

void RegisterEnvExplain(Command& parent) {
  Command& command =
      parent.Add({.name = "explain",
                  .summary = "Explain a job's environment",
                  .description = "Show the inputs of a job's environment, the lock and its age, "
                                 "and which inputs changed since the\n"
                                 "last job with the same name. Without JOB, uses job.yaml if it "
                                 "exists, otherwise the current\n"
                                 "directory.",
                  .usage = {"[OPTIONS] [JOB]"},
                  .examples = {"kinetic env explain job.yaml", "kinetic env explain --json"},
                  .takes_command = true,
                  .also = {"--python", "--target"}});
  auto options = std::make_shared<EnvExplainOptions>();
  AddJobArguments(command, options->job);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
