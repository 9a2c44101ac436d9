#pragma once

#include "kinetic/task_counts.h"
#include "kinetic/tasks.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kinetic::cli {

/// Returns the states of tasks: "200: 195 succeeded, 5 failed".
std::string StatesText(const TaskCounts& counts);
Value CountsDocument(const TaskCounts& counts);

/// Returns the progress of an array with its rate and the remaining time, if both are known:
/// "12/200 done, 4 running, 3.2/s, 59s left".
///
/// @param ended    tasks that have ended within `elapsed`.
std::string ProgressText(const TaskCounts& counts, std::uint32_t ended,
                         std::chrono::nanoseconds elapsed);

/// Tasks that failed, or were cancelled, for the same reason.
struct FailureGroup {
  JobState state = JobState::kFailed;
  std::string reason;  ///< of the first task
  std::uint32_t count = 0;
  std::vector<std::uint32_t> first;  ///< the first tasks, at most kShownTasks
};

/// Collects tasks that did not succeed. Reasons that differ only in numbers are the same.
class FailureGroups {
 public:
  void Add(const TaskSummary& task);
  /// Returns the groups, the largest first.
  std::vector<FailureGroup> Take();

 private:
  struct Keyed {
    std::string key;
    FailureGroup group;
  };
  std::vector<Keyed> groups_;
};

/// Returns "3 tasks (0, 4, 17)", or "200 tasks (0, 1, 2, …)".
std::string TasksOfGroup(const FailureGroup& group);
/// Returns the reason, or the state if it has none.
std::string ReasonOf(const FailureGroup& group);
Value GroupsDocument(const std::vector<FailureGroup>& groups);

}  // namespace kinetic::cli
