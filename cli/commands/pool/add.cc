#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/cluster/apply_plan.h"
#include "commands/cluster/options.h"
#include "commands/cluster/plan_output.h"
#include "commands/cluster/pool_options.h"
#include "commands/system/refresh_prices.h"
#include "context.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

struct PoolAddOptions {
  std::optional<std::string> file;
  std::string accelerator;
  std::optional<std::string> name;
  std::optional<std::string> reservation;
  PoolOptions pool;
  bool replace = false;
  ApplyOptions apply;
};

Result<int> Run(const PoolAddOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const ClusterSpec spec, ClusterSpecOf(options.file, context));
  KINETIC_ASSIGN_OR_RETURN(NodePoolSpec pool, PoolOf(options.accelerator, options.pool));
  pool.name = options.name.value_or("");
  pool.reservation = options.reservation.value_or("");
  const auto make_plan = [&] {
    return PlanPoolAddition(spec, pool, ClusterAdminOptionsOf(context), context.stop);
  };
  KINETIC_ASSIGN_OR_RETURN(ClusterPlan plan, make_plan());
  if (RefreshOldPrices(context)) {
    KINETIC_ASSIGN_OR_RETURN(plan, make_plan());
  }
  ShowPlan(plan, fmt::format("node pool {} is up to date", plan.steps().front().name), context);
  if (!options.apply.dry_run) KINETIC_RETURN_IF_ERROR(CheckReplacements(plan, options.replace));
  return FinishPlan(plan, fmt::format("Apply this plan to project {}?", plan.spec().project),
                    options.apply, context);
}

}  // namespace

void RegisterPoolAdd(Command& parent) {
  Command& command = parent.Add(
      {.name = "add",
       .summary = "Add a node pool",
       .description = "Add a node pool to a cluster that 'kinetic up' created, or change the "
                      "maximum number of "
                      "nodes in it.\n"
                      "The pool has no nodes until a job needs them. Other node pools are kept.",
       .usage = {"[OPTIONS] ACCELERATOR"},
       .examples = {"kinetic pool add v6e-1 --spot --max-nodes 4",
                    "kinetic pool add v5p-8 --reservation team-tpus --name reserved"}});
  auto options = std::make_shared<PoolAddOptions>();
  command.Argument({.names = "ACCELERATOR",
                    .doc = "Accelerator of the nodes",
                    .complete = CompletionKind::kAccelerator},
                   options->accelerator);
  AddPoolOptions(command, options->pool);
  command.Text({"--name", "NAME", "Name of the node pool (default: the accelerator's name)"},
               options->name);
  command.Text({"--reservation", "NAME", "Reservation that the nodes use"}, options->reservation);
  AddClusterFileOption(command, options->file);
  command.Flag({"--replace", "", "Delete and create the pool again if it failed"},
               options->replace);
  AddApplyOptions(command, options->apply);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
