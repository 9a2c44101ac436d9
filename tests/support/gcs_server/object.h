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

/// One generation of an object. It never changes: a change of its metadata makes another of these.
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
  int components = 0;                                    ///< 0: was not composed
  nlohmann::json attributes = nlohmann::json::object();  ///< what clients may set
};

using ObjectPtr = std::shared_ptr<const Object>;

/// Opaque, and another one for each generation and metageneration.
std::string EtagOf(std::int64_t generation, std::int64_t metageneration);
inline std::string EtagOf(const Object& object) {
  return EtagOf(object.generation, object.metageneration);
}

/// With milliseconds, as Google writes it.
std::string TimeText(WallTime time);

/// As header fields have it: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate(WallTime time);

/// The resource as objects.get answers it. `origin` begins its links.
nlohmann::json ResourceOf(const Object& object, const std::string& origin);

/// The settable members of an object resource that a client sent.
///
/// @errors  400 for a wrong type · 501 for what this stand-in does not have.
Outcome<nlohmann::json> ReadAttributes(const nlohmann::json& resource);

/// Merges `patch` into `attributes`, where null deletes.
///
/// @errors  as ReadAttributes · 400 when customTime would go back.
Outcome<void> PatchAttributes(nlohmann::json& attributes, const nlohmann::json& patch);

/// The JSON object that a body holds; an empty body is an empty one. @errors 400
Outcome<nlohmann::json> ParseResource(std::string_view body);

}  // namespace kinetic::gcs_server
