#include "support/gcs_server/object.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "http/url.h"
#include "support/gcs_server/crc32c.h"
#include "support/gcs_server/errors.h"

#include <fmt/format.h>

#include <time.h>

namespace kinetic::gcs_server {

using nlohmann::json;

std::string EtagOf(std::int64_t generation, std::int64_t metageneration) {
  return Base64Encode(fmt::format("\x08{:x}\x10{:x}", generation, metageneration));
}

std::string TimeText(WallTime time) {
  std::string text = FormatTime(time);
  text.replace(text.size() - 4, 4, "Z");  // microseconds to milliseconds
  return text;
}

std::string HttpDate(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

json ResourceOf(const Object& object, const std::string& origin) {
  const std::string generation = std::to_string(object.generation);
  const std::string place = "/storage/v1/b/" + http::PercentEncode(object.bucket) + "/o/" +
                            http::PercentEncode(object.name);
  json resource = object.attributes;
  resource.update({
      {"kind", "storage#object"},
      {"id", object.bucket + "/" + object.name + "/" + generation},
      {"selfLink", origin + place},
      {"mediaLink", origin + "/download" + place + "?generation=" + generation + "&alt=media"},
      {"name", object.name},
      {"bucket", object.bucket},
      {"generation", generation},
      {"metageneration", std::to_string(object.metageneration)},
      {"size", std::to_string(object.content.size_bytes())},
      {"crc32c", Crc32cText(object.crc32c)},
      {"etag", EtagOf(object)},
      {"timeCreated", TimeText(object.created)},
      {"timeFinalized", TimeText(object.created)},
      {"timeStorageClassUpdated", TimeText(object.created)},
      {"updated", TimeText(object.updated)},
  });
  if (!resource.contains("storageClass")) resource["storageClass"] = "STANDARD";
  if (object.md5) resource["md5Hash"] = *object.md5;
  if (object.components > 0) resource["componentCount"] = object.components;
  return resource;
}

Outcome<json> ParseResource(std::string_view body) {
  if (body.empty()) return json::object();
  json parsed = json::parse(body, nullptr, false);
  if (parsed.is_null()) return json::object();  // sent by some clients as an empty value
  if (!parsed.is_object()) return Refuse(ErrorReply(400, "parseError", "Parse Error"));
  return parsed;
}

}  // namespace kinetic::gcs_server
