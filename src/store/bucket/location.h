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
/// @errors  kInvalidArgument: the bucket's or the folder's name is invalid; the message says why.
/// @source  https://cloud.google.com/storage/docs/buckets#naming
Result<BucketLocation> ParseBucketLocation(std::string_view location);

}  // namespace kinetic::store
