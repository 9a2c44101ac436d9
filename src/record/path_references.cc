#include "record/path_references.h"

#include <algorithm>

namespace kinetic::record {
namespace {

bool Refers(const Value& value, const std::filesystem::path& folder) {
  if (const auto* list = value.AsList()) {
    return std::ranges::any_of(*list, [&](const Value& v) { return Refers(v, folder); });
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return false;
  const Value* path = map->size() == 1 ? value.Find("$path") : nullptr;
  if (path != nullptr && path->AsString() != nullptr) {
    const auto rest = std::filesystem::path(*path->AsString()).lexically_relative(folder);
    return !rest.empty() && *rest.begin() != "..";
  }
  return std::ranges::any_of(*map, [&](const auto& m) { return Refers(m.second, folder); });
}

}  // namespace

bool IsReferredTo(const Arguments& args, const std::filesystem::path& folder) {
  return Refers(Value(args.positional), folder) || Refers(Value(args.named), folder);
}

}  // namespace kinetic::record
