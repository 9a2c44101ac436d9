#include "backend/kubernetes/manifest/names.h"

#include "base/strings.h"

#include <algorithm>

namespace kinetic::backend {
namespace {

constexpr std::size_t kLongestLabel = 63;
/// A DNS label without "-9999", the suffix of a task's pod.
constexpr std::size_t kLongestObjectName = 63 - 5;

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

std::string JobNameOf(std::string_view id) { return "kinetic-" + std::string(id); }

Result<std::string> ObjectName(std::string_view id) {
  std::string name = JobNameOf(id);
  if (!id.empty() && std::ranges::all_of(id, MayBeInId) && id.front() != '-' && id.back() != '-' &&
      name.size() <= kLongestObjectName) {
    return name;
  }
  return Fail(ErrorCode::kInvalidArgument,
              "'" + Printable(id) + "' cannot be part of a Kubernetes Job name",
              "use 1 to 50 characters of a-z, 0-9 and '-', without '-' at either end");
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

}  // namespace kinetic::backend
