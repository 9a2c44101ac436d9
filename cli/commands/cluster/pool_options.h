#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::cli {

class Command;

/// The options that describe a node pool.
struct PoolOptions {
  bool spot = false;
  bool flex_start = false;
  std::optional<std::uint64_t> max_nodes;
  std::optional<std::string> idle_time;

  bool Any() const { return spot || flex_start || max_nodes || idle_time; }
};

/// Adds --spot, --flex-start, --max-nodes and --idle-time to a command.
void AddPoolOptions(Command& command, PoolOptions& options);

/// Returns the value of --max-nodes, or 0 if it is not given.
///
/// @errors  kInvalidArgument: names the range.
Result<std::uint32_t> ReadMaxNodes(std::optional<std::uint64_t> value);

/// Returns the pool of an accelerator.
///
/// @errors  kInvalidArgument: the accelerator, --max-nodes or --idle-time.
Result<NodePoolSpec> PoolOf(const std::string& accelerator, const PoolOptions& options);

}  // namespace kinetic::cli
