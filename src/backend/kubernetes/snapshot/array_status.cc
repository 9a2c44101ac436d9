#include "backend/kubernetes/snapshot/array_status.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "base/strings.h"
#include "record/task_id.h"
#include "record/task_range.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

struct IndexRange {
  std::int64_t first = 0;
  std::int64_t last = -1;
};

/// Removes the first range of a list and returns it. A damaged one is empty.
IndexRange TakeRange(std::string_view& indexes) {
  const std::string_view text = indexes.substr(0, indexes.find(','));
  indexes.remove_prefix(std::min(indexes.size(), text.size() + 1));
  const std::size_t dash = text.find('-');
  const auto first = ParseInt(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : ParseInt(text.substr(dash + 1));
  return first && last ? IndexRange{*first, *last} : IndexRange{};
}

std::string_view CompletedOf(const Value& array) {
  return TextAt(array, {"status", "completedIndexes"});
}

std::string_view FailedOf(const Value& array) { return TextAt(array, {"status", "failedIndexes"}); }

ArraySpec ArrayOf(const Value& job) {
  const auto number = [&](std::string_view annotation, std::int64_t least) {
    const auto written = ParseInt(AnnotationAt(job, annotation)).value_or(least);
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(written, least, record::kMaxTasks));
  };
  return {.count = number(kTasksAnnotation, 0), .tasks_per_pod = number(kTasksPerPodAnnotation, 1)};
}

/// Returns how many tasks the pods in a list of ranges have.
std::uint32_t CountTasks(const ArraySpec& array, std::string_view indexes) {
  std::uint32_t tasks = CountIndexes(indexes) * array.tasks_per_pod;
  if (array.count == 0) return tasks;
  const std::uint32_t last = record::CountPods(array) - 1;
  if (HasIndex(indexes, last)) tasks -= array.tasks_per_pod - record::TasksOfPod(array, last).count;
  return tasks;
}

Value FinalStatus(const char* type, std::string message) {
  const Value::Map condition{
      {"type", type}, {"status", "True"}, {"reason", "Task"}, {"message", std::move(message)}};
  return Value::Map{{"conditions", Value::List{condition}}};
}

}  // namespace

bool IsArray(const Value& job) { return !AnnotationAt(job, kTasksAnnotation).empty(); }

std::uint32_t TasksPerPodOf(const Value& job) { return ArrayOf(job).tasks_per_pod; }

std::uint32_t CountIndexes(std::string_view indexes) {
  std::int64_t count = 0;
  while (!indexes.empty()) {
    const IndexRange range = TakeRange(indexes);
    count += std::max<std::int64_t>(0, range.last - range.first + 1);
  }
  return static_cast<std::uint32_t>(count);
}

bool HasIndex(std::string_view indexes, std::uint32_t index) {
  while (!indexes.empty()) {
    const IndexRange range = TakeRange(indexes);
    if (range.first <= index && index <= range.last) return true;
  }
  return false;
}

TaskCounts TaskCountsOf(const Value& array) {
  TaskCounts counts;
  const ArraySpec spec = ArrayOf(array);
  counts.tasks = spec.count;
  counts.succeeded = CountTasks(spec, CompletedOf(array));
  counts.failed = CountTasks(spec, FailedOf(array));
  const auto ready = IntAt(array, {"status", "ready"}).value_or(0);
  counts.running = static_cast<std::uint32_t>(std::max<std::int64_t>(0, ready));
  return counts;
}

bool HasNoPods(const Value& array) {
  const bool is_over = IsConditionTrue(array, "Complete") || IsConditionTrue(array, "Failed") ||
                       IsConditionTrue(array, "Suspended");
  return is_over && IntAt(array, {"status", "active"}).value_or(0) == 0 &&
         IntAt(array, {"status", "terminating"}).value_or(0) == 0;
}

Value JobOfTask(const Value& array, std::uint32_t task) {
  const std::uint32_t index = task / TasksPerPodOf(array);
  Value job = array;
  if (Value::Map* fields = job.AsMap()) {
    for (auto& [key, value] : *fields) {
      if (key != "metadata") continue;
      Value::Map annotations = MapAt(array, {"metadata", "annotations"});
      std::erase_if(annotations, [](const auto& field) { return field.first == kTasksAnnotation; });
      value.Set("annotations", std::move(annotations));
    }
  }
  if (HasIndex(CompletedOf(array), index)) {
    job.Set("status", FinalStatus("Complete", "the task is one of the completed indexes"));
  } else if (HasIndex(FailedOf(array), index)) {
    job.Set("status", FinalStatus("Failed", "the task is one of the failed indexes"));
  } else {
    Value::Map status;
    if (const Value* conditions = At(array, {"status", "conditions"})) {
      status.emplace_back("conditions", *conditions);
    }
    job.Set("status", std::move(status));
  }
  return job;
}

}  // namespace kinetic::backend
