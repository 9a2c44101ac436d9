#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/cluster/apply_plan.h"
#include "commands/cluster/options.h"
#include "commands/cluster/plan_output.h"
#include "context.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace kinetic::cli {
namespace {

struct PoolRmOptions {
  std::optional<std::string> file;
  std::string name;
  bool force = false;
  ApplyOptions apply;
};

Status CheckJobs(const PoolRmOptions& options, const ClusterPlan& plan) {
  const std::size_t count = plan.running_jobs().size();
  if (count == 0 || options.force) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("{} job{} running on node pool {}", count, count == 1 ? " is" : "s are",
                          options.name),
              "wait for them, cancel them, or add --force");
}

Result<int> Run(const PoolRmOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const ClusterSpec spec, ClusterSpecOf(options.file, context));
  KINETIC_ASSIGN_OR_RETURN(
      const ClusterPlan plan,
      PlanPoolRemoval(spec, options.name, ClusterAdminOptionsOf(context), context.stop));
  ShowPlan(plan, "", context);
  if (!options.apply.dry_run) KINETIC_RETURN_IF_ERROR(CheckJobs(options, plan));
  return FinishPlan(plan, fmt::format("Delete node pool {}?", options.name), options.apply,
                    context);
}

}  // namespace

void RegisterPoolRm(Command& parent) {
  Command& command = parent.Add(
      {.name = "rm",
       .summary = "Delete a node pool",
       .description = "Delete a node pool and its nodes. Refuses while jobs are running on them.\n"
                      "Shows the plan and asks before it deletes anything.",
       .usage = {"[OPTIONS] POOL"},
       .examples = {"kinetic pool rm v5litepod-4-spot --yes"}});
  auto options = std::make_shared<PoolRmOptions>();
  command.Argument({.names = "POOL", .doc = "Name of the node pool"}, options->name);
  AddClusterFileOption(command, options->file);
  command.Flag({"--force", "", "Also delete the pool if jobs are running on its nodes"},
               options->force);
  AddApplyOptions(command, options->apply);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
