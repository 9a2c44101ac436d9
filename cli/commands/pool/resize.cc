#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/cluster/options.h"
#include "commands/cluster/plan_output.h"
#include "context.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace kinetic::cli {
namespace {

struct PoolResizeOptions {
  std::optional<std::string> file;
  std::string name;
  std::optional<std::uint64_t> max_nodes;
};

Result<int> Run(const PoolResizeOptions& options, Context& context) {
  const std::uint64_t nodes = options.max_nodes.value_or(0);
  if (nodes == 0 || nodes > std::numeric_limits<std::uint16_t>::max())
    return Fail(ErrorCode::kInvalidArgument, "--max-nodes: expected a number from 1 to 65535",
                "to have no nodes, do nothing: idle nodes are deleted");
  KINETIC_ASSIGN_OR_RETURN(const ClusterSpec spec, ClusterSpecOf(options.file, context));
  KINETIC_ASSIGN_OR_RETURN(const ClusterPlan plan,
                           PlanPoolResize(spec, options.name, static_cast<std::uint32_t>(nodes),
                                          ClusterAdminOptionsOf(context), context.stop));
  if (plan.IsEmpty()) {
    context.output.Note(
        fmt::format("node pool {} already has a maximum of {} nodes", options.name, nodes));
  }
  KINETIC_RETURN_IF_ERROR(ApplyPlan(plan, context));
  if (context.output.IsJson()) context.output.Document(ToDocument(plan));
  return kSuccess;
}

}  // namespace

void RegisterPoolResize(Command& parent) {
  Command& command =
      parent.Add({.name = "resize",
                  .summary = "Change the maximum number of nodes in a node pool",
                  .description = "Change the maximum number of nodes in a node pool. Jobs create "
                                 "nodes up to this number.",
                  .usage = {"--max-nodes N [OPTIONS] POOL"},
                  .examples = {"kinetic pool resize v5litepod-4 --max-nodes 8"}});
  auto options = std::make_shared<PoolResizeOptions>();
  command.Argument({.names = "POOL", .doc = "Name of the node pool"}, options->name);
  command.Number({"--max-nodes", "N", "Maximum number of nodes"}, options->max_nodes);
  AddClusterFileOption(command, options->file);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
