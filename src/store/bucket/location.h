#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::store {

/// Where a store is in Cloud Storage.
struct BucketLocation {
  std::string bucket;
  std::string prefix;  ///< "" or "a/b/": the prefix of all its objects' names
};

/// Returns whether a location begins with "gs://".
bool IsBucketLocation(std::string_view location);

/// Parses "gs://bucket", "gs://bucket/a/b" or "gs://bucket/a/b/".
///
/// @errors  kInvalidArgument: an invalid bucket or folder name; the message contains the reason.
/// @source  https://cloud.google.com/storage/docs/buckets#naming
Result<BucketLocation> ParseBucketLocation(std::string_view location);

}  // namespace kinetic::store
