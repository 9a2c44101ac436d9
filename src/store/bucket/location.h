#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string>
#include <string_view>
#include <vector>

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

/// Adds a store to the lifecycle rules of its bucket. All stores of a bucket share one rule for
/// packs and trees and one for parts; rules that earlier versions added for each store are merged.
/// Keeps the order and content of other rules.
///
/// @param prefix  of the store, ending in '/'.
std::vector<Value> MergeLifecycleRules(const std::vector<Value>& rules, const std::string& prefix);

}  // namespace kinetic::store
