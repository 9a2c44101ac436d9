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

struct LockOptions {
  JobArguments job;
  bool renew = false;
};

Result<int> Run(const LockOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobInput::kOptional, context));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  auto progress = context.output.StartProgress();
  KINETIC_ASSIGN_OR_RETURN(
      const EnvironmentLock lock,
      client.environments().Lock(spec, {options.renew, progress.get()}, context.stop));
  progress.reset();
  ShowLock(lock, context);
  return kSuccess;
}

}  // namespace

void RegisterLock(Command& parent) {
  Command& command =
      parent.Add({.name = "lock",
                  .summary = "Resolve a job's dependencies",
                  .description = "Resolve the dependencies of a job to exact versions and store "
                                 "them as a lock. Every run uses\n"
                                 "these versions until the lock is renewed. Without JOB, uses "
                                 "job.yaml if it exists, otherwise the\n"
                                 "current directory.",
                  .usage = {"[OPTIONS] [JOB]"},
                  .examples = {"kinetic lock job.yaml", "kinetic lock job.yaml --renew"},
                  .takes_command = true,
                  .also = {"--python", "--target"}});
  auto options = std::make_shared<LockOptions>();
  AddJobArguments(command, options->job);
  command.Flag({"--renew", "", "Resolve again even if a lock exists"}, options->renew);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
