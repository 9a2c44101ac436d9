#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/cluster/apply_plan.h"
#include "commands/cluster/options.h"
#include "commands/cluster/plan_output.h"
#include "commands/cluster/pool_options.h"
#include "context.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace kinetic::cli {
namespace {

struct PoolResizeOptions {
  std::optional<std::string> file;
  std::string name;
  std::optional<std::uint64_t> max_nodes;
  ApplyOptions apply;
};

Result<int> Run(const PoolResizeOptions& options, Context& context) {
  if (!options.max_nodes)
    return Fail(ErrorCode::kInvalidArgument, "--max-nodes is required",
                "for example: kinetic pool resize " + options.name + " --max-nodes 4");
  KINETIC_ASSIGN_OR_RETURN(const std::uint32_t nodes, ReadMaxNodes(options.max_nodes));
  KINETIC_ASSIGN_OR_RETURN(const ClusterSpec spec, ClusterSpecOf(options.file, context));
  KINETIC_ASSIGN_OR_RETURN(
      const ClusterPlan plan,
      PlanPoolResize(spec, options.name, nodes, ClusterAdminOptionsOf(context), context.stop));
  ShowPlan(plan, fmt::format("node pool {} already has a maximum of {} nodes", options.name, nodes),
           context);
  return FinishPlan(plan, fmt::format("Apply this plan to project {}?", plan.spec().project),
                    options.apply, context);
}

}  // namespace

void RegisterPoolResize(Command& parent) {
  Command& command =
      parent.Add({.name = "resize",
                  .summary = "Change the maximum number of nodes in a node pool",
                  .description = "Change the maximum number of nodes in a node pool. Jobs create "
                                 "nodes up to this number.\n"
                                 "Shows the plan with its price and asks before it changes "
                                 "anything.",
                  .usage = {"--max-nodes N [OPTIONS] POOL"},
                  .examples = {"kinetic pool resize v5litepod-4 --max-nodes 8",
                               "kinetic pool resize v5litepod-4 --max-nodes 8 --dry-run"}});
  auto options = std::make_shared<PoolResizeOptions>();
  command.Argument({.names = "POOL", .doc = "Name of the node pool"}, options->name);
  command.Number({"--max-nodes", "N", "Maximum number of nodes"}, options->max_nodes);
  AddClusterFileOption(command, options->file);
  AddApplyOptions(command, options->apply);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
