#pragma once

#include "kinetic/result.h"

#include "gcs/bucket.h"
#include "store/bucket_location.h"

#include <stop_token>

namespace kinetic::store {

/// Sees to it that a bucket removes packs and trees of a store 90 days after the end of their last
/// lease, and parts of files after a day, with nothing of kinetic alive. Rules of others stay as
/// they are.
///
/// @errors  kPermissionDenied: the account may use the bucket and not change it · those of
///          gcs::Buckets.
Status EnsureLifecycle(const gcs::Buckets& buckets, const BucketLocation& place,
                       std::stop_token stop);

}  // namespace kinetic::store
