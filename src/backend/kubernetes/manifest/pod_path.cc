#include "backend/kubernetes/manifest/pod_fields.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace kinetic::backend {
namespace {

/// Returns the index of the item whose merge key has this value, as text or as a number.
std::optional<std::size_t> IndexOf(const Value::List& list, std::string_view field,
                                   const std::string& key) {
  const auto found = std::ranges::find_if(list, [&](const Value& item) {
    const Value* name = item.Find(MergeKey(field));
    return name != nullptr && (*name == Value(key) || name->ToJson() == key);
  });
  if (found == list.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list.begin());
}

}  // namespace

const Value* FindAt(const Value& pod_template, const PodPath& path) {
  const Value* at = &pod_template;
  std::string_view field;
  for (const auto& step : path) {
    if (const auto* list = at->AsList()) {
      const auto index = IndexOf(*list, field, step);
      at = index ? &(*list)[*index] : nullptr;
    } else {
      at = at->Find(step);
    }
    if (at == nullptr) return nullptr;
    field = step;
  }
  return at;
}

std::string PlaceIn(const Value& pod, const PodPath& path) {
  std::string place = "pod";
  const Value* at = &pod;
  std::string_view field;
  for (const auto& step : path) {
    if (const auto* list = at->AsList()) {
      const auto index = IndexOf(*list, field, step);
      if (!index) break;
      place += "[" + std::to_string(*index) + "]";
      at = &(*list)[*index];
    } else {
      at = at->Find(step);
      if (at == nullptr) break;
      place += "." + step;
    }
    field = step;
  }
  return place;
}

}  // namespace kinetic::backend
