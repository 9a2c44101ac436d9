#pragma once

#include "kinetic/task_counts.h"
#include "kinetic/value.h"

#include <cstdint>
#include <string_view>

/// The status of an array, whose tasks are the indexes of one Job. The Job counts them, so that
/// their pods are not listed.
namespace kinetic::backend {

/// Returns whether a Job runs the tasks of an array.
bool IsArray(const Value& job);

/// Returns how many tasks a pod of the array runs: 1 for other Jobs. JobOfTask keeps it.
std::uint32_t TasksPerPodOf(const Value& job);

/// Returns how many indexes are in a list of ranges: "1-3,7" has four.
std::uint32_t CountIndexes(std::string_view indexes);
/// Returns whether a list of ranges has this index.
bool HasIndex(std::string_view indexes, std::uint32_t index);

/// Returns how many tasks are in which state. Cancelled ones count as succeeded: only the store
/// knows them. If tasks share pods, so do failed ones, and the tasks of a pod count when it has
/// ended.
TaskCounts TaskCountsOf(const Value& array);

/// Returns whether the Job starts no more pods, and none is left.
bool HasNoPods(const Value& array);

/// Returns the Job of an array as if it had only this task: it is complete if the task has
/// succeeded, and failed if the task has. If tasks share pods, the end is that of all tasks of the
/// pod.
Value JobOfTask(const Value& array, std::uint32_t task);

}  // namespace kinetic::backend
