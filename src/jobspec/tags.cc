#include "jobspec/tags.h"

#include "kinetic/value.h"

namespace kinetic::jobspec {

std::size_t TagsBytes(const std::map<std::string, std::string>& tags) {
  Value::Map map;
  for (const auto& [name, value] : tags) map.emplace_back(name, Value(value));
  return Value(std::move(map)).ToJson().size();
}

}  // namespace kinetic::jobspec
