#include "record/task_range.h"

#include <algorithm>

namespace kinetic::record {
namespace {

std::uint32_t TasksPerPod(const ArraySpec& array) { return std::max(array.tasks_per_pod, 1U); }

}  // namespace

bool SharePods(const ArraySpec& array) { return array.tasks_per_pod > 1; }

std::uint32_t CountPods(const ArraySpec& array) {
  return array.count / TasksPerPod(array) + (array.count % TasksPerPod(array) == 0 ? 0 : 1);
}

TaskRange TasksOfPod(const ArraySpec& array, std::uint32_t pod) {
  if (pod >= CountPods(array)) return {};
  const std::uint32_t first = pod * TasksPerPod(array);
  return {first, std::min(TasksPerPod(array), array.count - first)};
}

}  // namespace kinetic::record
