#include "backend/kubernetes/manifest/names.h"

#include "base/strings.h"
#include "record/task_id.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinetic::backend {
namespace {

constexpr std::size_t kLongestLabel = 63;
/// Also of arrays with fewer tasks, and of other jobs.
constexpr std::size_t kShortestSuffix = std::string_view("-9999").size();
/// Of the part of a pod's name before five random characters.
constexpr std::size_t kLongestGenerated = 58;
constexpr std::string_view kJobNameLabel = "batch.kubernetes.io/job-name";
constexpr std::string_view kIndexLabel = "batch.kubernetes.io/job-completion-index";

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool MayBeInId(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

std::string Selector(std::string_view key, std::string_view value) {
  return std::string(key) + "=" + std::string(value);
}

}  // namespace

std::string ManagedSelector() { return Selector(kManagedByLabel, kManagedBy); }

std::string JobSelector(std::string_view id) { return Selector(kJobIdLabel, id); }

std::string ArraySelector(std::string_view id) { return Selector(kArrayIdLabel, id); }

std::string JobNameOf(std::string_view id) { return "kinetic-" + std::string(record::JobPart(id)); }

Result<std::string> ObjectName(std::string_view id, std::uint32_t indexes) {
  std::string name = JobNameOf(id);
  const std::size_t digits = indexes == 0 ? 0 : std::to_string(indexes - 1).size();
  const std::size_t longest = kLongestLabel - std::max(kShortestSuffix, 1 + digits);
  if (!id.empty() && std::ranges::all_of(id, MayBeInId) && id.front() != '-' && id.back() != '-' &&
      name.size() <= longest) {
    return name;
  }
  return Fail(ErrorCode::kInvalidArgument,
              "'" + Printable(id) + "' cannot be part of a Kubernetes Job name",
              fmt::format("use 1 to {} characters of a-z, 0-9 and '-', without '-' at either end",
                          longest - JobNameOf({}).size()));
}

ObjectNames ObjectNamesOf(std::string_view id, std::uint32_t tasks_per_pod) {
  const std::string job = JobNameOf(id);
  const auto task = record::ParseTaskId(id);
  if (!task) return {job, job, JobSelector(id)};
  const std::string index = std::to_string(task->task / tasks_per_pod);
  // The name of a pod is truncated before its index.
  const std::size_t room = kLongestGenerated - index.size() - 2;
  return {job, job.substr(0, room) + "-" + index,
          Selector(kJobNameLabel, job) + "," + Selector(kIndexLabel, index)};
}

std::string JobIdOf(const Value& object) {
  const Value* metadata = object.Find("metadata");
  const Value* labels = metadata == nullptr ? nullptr : metadata->Find("labels");
  if (labels == nullptr) return {};
  const Value* manager = labels->Find(kManagedByLabel);
  const Value* id = labels->Find(kJobIdLabel);
  const bool ours = manager != nullptr && *manager == Value(std::string(kManagedBy));
  return ours && id != nullptr && id->AsString() != nullptr ? *id->AsString() : std::string();
}

std::string LabelValue(std::string_view text) {
  std::string value;
  for (const char c : text) {
    const bool allowed = IsAlphanumeric(c) || c == '-' || c == '_' || c == '.';
    if (value.empty() && !IsAlphanumeric(c)) continue;
    value += allowed ? c : '-';
  }
  value.resize(std::min(value.size(), kLongestLabel));
  while (!value.empty() && !IsAlphanumeric(value.back())) value.pop_back();
  return value;
}

Value::Map LabelsOf(const record::Record& record) {
  Value::Map labels{{std::string(kManagedByLabel), std::string(kManagedBy)},
                    {std::string(kJobIdLabel), record.id}};
  const auto add = [&](std::string_view key, std::string_view text) {
    std::string value = LabelValue(text);
    if (!value.empty()) labels.emplace_back(std::string(key), std::move(value));
  };
  add(kNameLabel, record.spec.name);
  add(kOwnerLabel, record.owner);
  return labels;
}

Value::Map PodLabelsOf(const record::Record& record) {
  Value::Map labels = LabelsOf(record);
  if (!record.spec.array) return labels;
  for (auto& [key, value] : labels) {
    if (key == kJobIdLabel) key = kArrayIdLabel;
  }
  return labels;
}

}  // namespace kinetic::backend
