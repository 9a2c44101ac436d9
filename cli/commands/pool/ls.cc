#include "kinetic/cluster_status.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/cluster/options.h"
#include "commands/cluster/pool_table.h"
#include "context.h"
#include "exit_code.h"

#include <memory>
#include <optional>
#include <string>

namespace kinetic::cli {

void RegisterPoolLs(Command& parent) {
  Command& command = parent.Add({.name = "ls",
                                 .summary = "List node pools",
                                 .description = "List the cluster's node pools with the number of "
                                                "nodes that exist now.",
                                 .usage = {"[OPTIONS]"},
                                 .examples = {"kinetic pool ls", "kinetic pool ls --json"}});
  auto file = std::make_shared<std::optional<std::string>>();
  AddClusterFileOption(command, *file);
  command.SetAction([file](Context& context) -> Result<int> {
    KINETIC_ASSIGN_OR_RETURN(const ClusterSpec spec, ClusterSpecOf(*file, context));
    KINETIC_ASSIGN_OR_RETURN(const ClusterStatus status,
                             GetClusterStatus(spec, ClusterAdminOptionsOf(context), context.stop));
    ReportAccess(status, context);
    context.output.Show(PoolTable(status.pools));
    if (context.output.IsJson()) context.output.Document(PoolDocuments(status.pools));
    return kSuccess;
  });
}

}  // namespace kinetic::cli
