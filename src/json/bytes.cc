#include "json/bytes.h"

#include "base/strings.h"

#include <utility>

namespace kinetic::json {

const Value* Tagged(const Value& value, std::string_view tag) {
  const Value::Map* map = value.AsMap();
  return map != nullptr && map->size() == 1 && map->front().first == tag ? &map->front().second
                                                                         : nullptr;
}

std::optional<Bytes> BytesIn(const Value& content) {
  if (const Bytes* bytes = content.AsBytes()) return *bytes;
  if (content.AsString() == nullptr) return std::nullopt;
  auto decoded = Base64Decode(*content.AsString());
  return decoded ? std::optional<Bytes>(*std::move(decoded)) : std::nullopt;
}

}  // namespace kinetic::json
