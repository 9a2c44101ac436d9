#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::gcs {

/// The fields of an object resource that kinetic uses.
///
/// @source https://cloud.google.com/storage/docs/json_api/v1/objects#resource
struct Object {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::int64_t generation = 0;
  std::int64_t metageneration = 0;
  std::string crc32c;            ///< base64; may be empty
  std::string content_encoding;  ///< "gzip": the stored bytes are compressed
  WallTime updated;
  std::optional<WallTime> custom_time;
  std::map<std::string, std::string> metadata;
};

/// The value of the query parameter `fields`.
inline constexpr std::string_view kObjectFields =
    "name,size,generation,metageneration,crc32c,contentEncoding,updated,customTime,metadata";

/// @errors  kDataLoss, with `where` and the field.
Result<Object> ParseObject(const Value& resource, const std::string& where);

/// Metadata key of a random mark, which identifies an object that this client inserted.
inline constexpr std::string_view kMarkKey = "kinetic-mark";

struct InsertOptions {
  std::optional<std::int64_t> if_generation;  ///< 0: only if absent
  std::map<std::string, std::string> metadata;
  std::optional<WallTime> custom_time;
  /// Identifies the content: a digest, or FileFingerprint. A large upload of the same content to
  /// the same name resumes where a killed client stopped. Empty: no resumption.
  std::string source;
  /// Does not read an existing object to find out whether this call created it.
  bool any_creator = false;
};

/// Returns a fingerprint of a file's inode, size and times.
std::string FileFingerprint(const FileStatus& status);

struct ReadOptions {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
  std::optional<std::int64_t> generation;
};

struct Preconditions {
  std::optional<std::int64_t> if_generation;
  std::optional<std::int64_t> if_metageneration;
};

struct DeleteRequest {
  std::string name;
  Preconditions preconditions;
};

struct ListOptions {
  std::string prefix;
  std::string start;      ///< the first name, inclusive
  std::string delimiter;  ///< groups names up to it into prefixes
};

}  // namespace kinetic::gcs
