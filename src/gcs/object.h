#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
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

/// What a file is, as InsertOptions::source wants it: its place on the disk, its size and its
/// times.
std::string IdentityOf(const FileStatus& status);

/// The metadata key under which an insert leaves a mark of its own.
inline constexpr std::string_view kMarkKey = "kinetic-mark";

/// When an insert takes effect, and what goes with the content.
struct InsertOptions {
  std::optional<std::int64_t> if_generation;  ///< 0: only if absent
  std::map<std::string, std::string> metadata;
  std::optional<WallTime> custom_time;
  /// What the bytes are: a digest, or a file's size and times. A large upload of the same to the
  /// same place goes on where a killed client stopped; empty: it does not.
  std::string source;
};

/// Which object, and which of its bytes.
struct ReadOptions {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
  std::optional<std::int64_t> generation;
};

/// What must hold for a change.
struct Conditions {
  std::optional<std::int64_t> if_generation;
  std::optional<std::int64_t> if_metageneration;
};

/// One of many to be removed.
struct Doomed {
  std::string name;
  Conditions conditions;
};

struct ListOptions {
  std::string prefix;
  std::string start;      ///< names from here on, inclusive
  std::string delimiter;  ///< names are cut behind it, once each
};

}  // namespace kinetic::gcs
