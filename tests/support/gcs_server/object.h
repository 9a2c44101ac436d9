#pragma once

#include "base/time/clock.h"
#include "support/gcs_server/content.h"
#include "support/gcs_server/reply.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// One generation of an object. Immutable: a change of metadata creates another one.
struct Object {
  std::string bucket;
  std::string name;
  std::int64_t generation = 0;
  std::int64_t metageneration = 1;
  WallTime created;
  WallTime updated;
  Content content;
  std::uint32_t crc32c = 0;
  std::optional<std::string> md5;                        ///< in base64; composed objects have none
  int components = 0;                                    ///< 0: not composed
  nlohmann::json attributes = nlohmann::json::object();  ///< fields that clients may set
};

using ObjectPtr = std::shared_ptr<const Object>;

/// Opaque; differs for each generation and metageneration.
std::string EtagOf(std::int64_t generation, std::int64_t metageneration);
inline std::string EtagOf(const Object& object) {
  return EtagOf(object.generation, object.metageneration);
}

/// Formats a time with milliseconds, as Google does.
std::string TimeText(WallTime time);

/// Formats a time for headers: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate(WallTime time);

/// Returns the resource as in objects.get. `origin` is the start of its links.
nlohmann::json ResourceOf(const Object& object, const std::string& origin);

/// Reads the settable fields of an object resource.
///
/// @errors  400 for a wrong type · 501 for unsupported features.
Outcome<nlohmann::json> ReadAttributes(const nlohmann::json& resource);

/// Merges `patch` into `attributes`; null removes.
///
/// @errors  as ReadAttributes · 400 if customTime would decrease.
Outcome<void> PatchAttributes(nlohmann::json& attributes, const nlohmann::json& patch);

/// Parses a body as a JSON object; an empty body is an empty object. @errors 400
Outcome<nlohmann::json> ParseResource(std::string_view body);

}  // namespace kinetic::gcs_server
