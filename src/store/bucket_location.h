#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::store {

/// Where a store is in Cloud Storage.
struct BucketLocation {
  std::string bucket;
  std::string prefix;  ///< "" or "a/b/": what the names of its objects begin with
};

/// Whether a location is meant to be one in a bucket: it begins with "gs://".
bool IsBucketLocation(std::string_view location);

/// "gs://bucket", "gs://bucket/a/b" or "gs://bucket/a/b/".
///
/// @errors  kInvalidArgument: no bucket can have that name, or no object; the message says why.
/// @source  https://cloud.google.com/storage/docs/buckets#naming
Result<BucketLocation> ParseBucketLocation(std::string_view location);

}  // namespace kinetic::store
