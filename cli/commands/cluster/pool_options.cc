#include "commands/cluster/pool_options.h"

#include "kinetic/accelerator.h"
#include "kinetic/try.h"

#include "command_line/command.h"

#include <limits>

namespace kinetic::cli {

void AddPoolOptions(Command& command, PoolOptions& options) {
  command.Flag({"--spot", "", "Use Spot nodes, which are cheaper and may be stopped at any time"},
               options.spot);
  command.Flag(
      {"--flex-start", "", "Wait for capacity with flex-start; nodes exist for at most seven days"},
      options.flex_start);
  command.Number({"--max-nodes", "N",
                  "Maximum number of nodes in each pool (default: as many as one job needs)"},
                 options.max_nodes);
}

Result<NodePoolSpec> PoolOf(const std::string& accelerator, const PoolOptions& options) {
  if (options.max_nodes.value_or(1) > std::numeric_limits<std::uint16_t>::max())
    return Fail(ErrorCode::kInvalidArgument, "--max-nodes: expected at most 65535");
  NodePoolSpec pool;
  KINETIC_ASSIGN_OR_RETURN(pool.accelerator, ParseAccelerator(accelerator));
  pool.spot = options.spot;
  pool.flex_start = options.flex_start;
  pool.max_nodes = static_cast<std::uint32_t>(options.max_nodes.value_or(0));
  return pool;
}

}  // namespace kinetic::cli
