#include "provision/includes.h"

#include <algorithm>

namespace kinetic::provision {

bool Includes(const Value& resource, const Value& fields) {
  if (const auto* map = fields.AsMap()) {
    return std::ranges::all_of(*map, [&](const auto& field) {
      const Value* found = resource.Find(field.first);
      return found != nullptr && Includes(*found, field.second);
    });
  }
  const auto* wanted = fields.AsList();
  const auto* found = resource.AsList();
  if (wanted == nullptr || found == nullptr) return resource == fields;
  return std::ranges::equal(*found, *wanted, Includes);
}

}  // namespace kinetic::provision
