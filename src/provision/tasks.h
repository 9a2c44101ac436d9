#pragma once

#include "kinetic/result.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace kinetic::provision {

/// Work that may start when other tasks have succeeded.
struct Task {
  std::vector<std::size_t> after;  ///< indices of tasks; must not form a cycle
  std::function<Status(std::stop_token stop)> run;
};

/// Runs tasks in parallel, in the order of their dependencies. If a task fails, the tasks after it
/// are skipped and all others still run.
///
/// @errors  that of the first task that failed.
Status RunTasks(const std::vector<Task>& tasks, std::size_t threads, std::stop_token stop);

}  // namespace kinetic::provision
