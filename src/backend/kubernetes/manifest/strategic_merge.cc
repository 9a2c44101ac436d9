#include "kinetic/try.h"

#include "backend/kubernetes/manifest/pod_fields.h"
#include "json/document.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kTolerations = "tolerations";

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kMergeKeys{
    {{"containers", "name"},
     {"initContainers", "name"},
     {"ephemeralContainers", "name"},
     {"volumes", "name"},
     {"env", "name"},
     {"imagePullSecrets", "name"},
     {"resourceClaims", "name"},
     {"schedulingGates", "name"},
     {"ports", "containerPort"},
     {"volumeMounts", "mountPath"},
     {"volumeDevices", "devicePath"},
     {"hostAliases", "ip"},
     {"topologySpreadConstraints", "topologyKey"},
     {kTolerations, "key"}}};

Failure Wrong(const std::string& path, std::string problem) {
  return Failure(Error{ErrorCode::kInvalidArgument, std::move(problem), {}, {}}.With("key", path));
}

std::string Nested(const std::string& path, std::string_view member) {
  return path.empty() ? std::string(member) : path + "." + std::string(member);
}

std::string Item(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

enum class Directive { kMerge, kReplace, kDelete };

Result<Directive> DirectiveOf(const Value& patch, const std::string& path) {
  const Value* directive = patch.Find(kPatch);
  if (directive == nullptr || *directive == Value("merge")) return Directive::kMerge;
  if (*directive == Value("replace")) return Directive::kReplace;
  if (*directive == Value("delete")) return Directive::kDelete;
  return Wrong(Nested(path, kPatch), "expected merge, replace or delete");
}

Result<Value> Merge(Value original, const Value& patch, std::string_view field,
                    const std::string& path);

/// Removes the members that `$retainKeys` does not list.
Status Retain(Value::Map& into, const Value& keys, const std::string& path) {
  const auto* list = keys.AsList();
  if (list == nullptr) return Wrong(Nested(path, kRetainKeys), "expected a list of names");
  std::erase_if(into, [&](const auto& member) {
    return std::ranges::find(*list, Value(member.first)) == list->end();
  });
  return {};
}

Result<Value> MergeMaps(Value::Map into, const Value& patch, const std::string& path) {
  KINETIC_ASSIGN_OR_RETURN(const Directive directive, DirectiveOf(patch, path));
  if (directive == Directive::kDelete) return Value(Value::Map{});
  if (directive == Directive::kReplace) into.clear();
  Value merged(std::move(into));
  for (const auto& [name, value] : *patch.AsMap()) {
    if (name == kPatch) continue;
    if (name == kRetainKeys) {
      KINETIC_RETURN_IF_ERROR(Retain(*merged.AsMap(), value, path));
      continue;
    }
    const std::string nested = Nested(path, name);
    if (name.starts_with('$')) {
      return Wrong(nested, "unknown directive, expected $patch or $retainKeys");
    }
    if (value.IsNull()) {
      std::erase_if(*merged.AsMap(), [&](const auto& member) { return member.first == name; });
      continue;
    }
    const Value* before = merged.Find(name);
    KINETIC_ASSIGN_OR_RETURN(Value after,
                             Merge(before == nullptr ? Value() : *before, value, name, nested));
    merged.Set(name, std::move(after));
  }
  return merged;
}

/// Returns the items of a list patch. Empties `into` if one of them is `$patch: replace`.
Result<std::vector<std::pair<std::size_t, const Value*>>> ItemsOf(const Value::List& patch,
                                                                  Value::List& into,
                                                                  const std::string& path) {
  std::vector<std::pair<std::size_t, const Value*>> items;
  for (std::size_t i = 0; i < patch.size(); ++i) {
    if (patch[i].AsMap() == nullptr) {
      return Wrong(Item(path, i), "expected a map, found " + std::string(json::KindOf(patch[i])));
    }
    KINETIC_ASSIGN_OR_RETURN(const Directive directive, DirectiveOf(patch[i], Item(path, i)));
    if (directive != Directive::kReplace) {
      items.emplace_back(i, &patch[i]);
    } else if (patch[i].AsMap()->size() > 1) {
      return Wrong(Item(path, i),
                   "expected no other field: '$patch: replace' applies to the whole list");
    } else {
      into.clear();
    }
  }
  return items;
}

/// Adds a toleration unless it exists. Several tolerations may have the same key, so none is
/// replaced.
void Add(Value::List& into, Value item) {
  if (std::ranges::find(into, item) == into.end()) into.push_back(std::move(item));
}

Result<Value> MergeItems(Value::List into, const Value::List& patch, std::string_view field,
                         const std::string& path) {
  const std::string_view key = MergeKey(field);
  KINETIC_ASSIGN_OR_RETURN(const auto items, ItemsOf(patch, into, path));
  for (const auto& [index, item] : items) {
    const Value* name = item->Find(key);
    if (name == nullptr && field != kTolerations) {
      return Wrong(Item(path, index),
                   "expected " + std::string(key) + ", the merge key of this list");
    }
    const auto same = [&, name = name](const Value& before) {
      const Value* other = before.Find(key);
      return name == nullptr || other == nullptr ? name == other : *name == *other;
    };
    KINETIC_ASSIGN_OR_RETURN(const Directive directive, DirectiveOf(*item, path));
    if (directive == Directive::kDelete) {
      std::erase_if(into, same);
      continue;
    }
    const auto before = std::ranges::find_if(into, same);
    const bool added = before == into.end() || field == kTolerations;
    KINETIC_ASSIGN_OR_RETURN(
        Value after, Merge(added ? Value(Value::Map{}) : *before, *item, "", Item(path, index)));
    if (added) {
      Add(into, std::move(after));
    } else {
      *before = std::move(after);
    }
  }
  return Value(std::move(into));
}

Result<Value> Merge(Value original, const Value& patch, std::string_view field,
                    const std::string& path) {
  if (!original.IsNull() && json::KindOf(original) != json::KindOf(patch)) {
    return Wrong(path, "expected " + std::string(json::KindOf(original)) + ", found " +
                           std::string(json::KindOf(patch)));
  }
  if (patch.AsMap() != nullptr) {
    return MergeMaps(original.IsNull() ? Value::Map{} : std::move(*original.AsMap()), patch, path);
  }
  if (patch.AsList() != nullptr && !MergeKey(field).empty()) {
    return MergeItems(original.IsNull() ? Value::List{} : std::move(*original.AsList()),
                      *patch.AsList(), field, path);
  }
  return patch;
}

}  // namespace

std::string_view MergeKey(std::string_view field) {
  const auto known = std::ranges::find(kMergeKeys, field, &decltype(kMergeKeys)::value_type::first);
  return known == kMergeKeys.end() ? std::string_view() : known->second;
}

Result<Value> StrategicMerge(const Value& pod_template, const Value& patch) {
  if (patch.IsNull()) return pod_template;
  return Merge(pod_template, patch, "", "");
}

}  // namespace kinetic::backend
