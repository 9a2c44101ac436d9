#pragma once

#include "kinetic/job_spec.h"

#include <cstdint>

namespace kinetic::record {

/// Consecutive tasks of an array.
struct TaskRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool operator==(const TaskRange&) const = default;
};

/// Returns whether several tasks of the array run in one pod.
bool SharePods(const ArraySpec& array);

/// Returns how many pods, or processes, run the tasks: tasks_per_pod each, and the rest in the last.
std::uint32_t CountPods(const ArraySpec& array);

/// Returns the tasks of a pod; none if its number is too high.
///
/// @param pod  its number, from 0.
TaskRange TasksOfPod(const ArraySpec& array, std::uint32_t pod);

}  // namespace kinetic::record
