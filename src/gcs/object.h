#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/time/clock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kinetic::gcs {

/// An object's resource, as far as kinetic asks for it.
///
/// @source https://cloud.google.com/storage/docs/json_api/v1/objects#resource
struct Object {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::int64_t generation = 0;
  std::int64_t metageneration = 0;
  std::string crc32c;            ///< base64; empty where the server keeps none
  std::string content_encoding;  ///< "gzip": what is stored is not what the writer meant
  WallTime updated;
  std::optional<WallTime> custom_time;
  std::map<std::string, std::string> metadata;
};

/// The members of an object that are asked for, as `fields` takes them.
inline constexpr std::string_view kObjectFields =
    "name,size,generation,metageneration,crc32c,contentEncoding,updated,customTime,metadata";

/// @errors  kDataLoss, naming `where` and the member.
Result<Object> ObjectFrom(const Value& resource, const std::string& where);

}  // namespace kinetic::gcs
