#include "commands/cluster/pool_options.h"

#include "kinetic/accelerator.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "output/text.h"
#include "settings/duration.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

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
  command.Text({"--idle-time", "TIME", "Time after which an idle node is deleted (default: 2m)"},
               options.idle_time);
}

Result<std::uint32_t> ReadMaxNodes(std::optional<std::uint64_t> value) {
  constexpr std::uint64_t kMost = 10'000;  // as in kinetic.yaml
  if (!value) return 0U;
  if (*value >= 1 && *value <= kMost) return static_cast<std::uint32_t>(*value);
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("--max-nodes: expected a number from 1 to {}, found {}", kMost, *value),
              *value == 0 ? "GKE deletes idle nodes, so a maximum of 0 is not necessary" : "");
}

Result<NodePoolSpec> PoolOf(const std::string& accelerator, const PoolOptions& options) {
  if (accelerator.find(',') != std::string::npos)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}': a node pool has one accelerator", SafeLine(accelerator)),
                "for several pools, repeat the option");
  NodePoolSpec pool;
  KINETIC_ASSIGN_OR_RETURN(pool.accelerator, ParseAccelerator(accelerator));
  pool.spot = options.spot;
  pool.flex_start = options.flex_start;
  KINETIC_ASSIGN_OR_RETURN(pool.max_nodes, ReadMaxNodes(options.max_nodes));
  if (!options.idle_time) return pool;
  KINETIC_ASSIGN_OR_RETURN(const auto time,
                           settings::ParseDurationOf("--idle-time", *options.idle_time));
  pool.idle_time = std::chrono::floor<std::chrono::seconds>(time);
  return pool;
}

}  // namespace kinetic::cli
