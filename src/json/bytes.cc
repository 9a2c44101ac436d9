#include "json/bytes.h"

#include "base/strings.h"

#include <utility>

namespace kinetic::json {

std::optional<Bytes> BytesIn(const Value& content) {
  if (const Bytes* bytes = content.AsBytes()) return *bytes;
  if (content.AsString() == nullptr) return std::nullopt;
  auto decoded = Base64Decode(*content.AsString());
  return decoded ? std::optional<Bytes>(*std::move(decoded)) : std::nullopt;
}

}  // namespace kinetic::json
