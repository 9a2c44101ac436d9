#pragma once

#include "kinetic/export.h"
#include "kinetic/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic {

enum class TargetKind : std::uint8_t { kLocal };

/// A named target: where objects are kept and where jobs run. "local" is built in.
struct Profile {
  std::string name = "local";
  TargetKind kind = TargetKind::kLocal;
  std::string store;              ///< a folder (absolute path), or "gs://bucket/prefix"
  std::uint32_t concurrency = 0;  ///< local: jobs that run at once; 0: one for each two processors
  /// The folder of a volume that keeps what `data:` names for later jobs (absolute path); empty:
  /// nothing is kept.
  std::string data_cache = {};
};

/// Whether a store is meant to be in a bucket: its location begins with "gs://".
KINETIC_EXPORT bool IsInBucket(std::string_view store);

/// Whether a store can be where "gs://bucket/folder" says, by the rules for names alone: nobody is
/// asked.
///
/// @errors  kInvalidArgument; the message says why not.
/// @source  https://cloud.google.com/storage/docs/buckets#naming,
///          https://cloud.google.com/storage/docs/objects#naming
KINETIC_EXPORT Status CheckBucketStore(std::string_view store);

}  // namespace kinetic
