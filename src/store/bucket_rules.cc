#include "store/bucket_rules.h"

#include "base/try.h"

#include <algorithm>

namespace kinetic::store {
namespace {

constexpr int kDays = 90;
/// How often others may change the bucket meanwhile.
constexpr int kAttempts = 5;

}  // namespace

Status EnsureLifecycle(const gcs::Buckets& buckets, const BucketLocation& place,
                       std::stop_token stop) {
  const Value rule =
      gcs::DeletionAfterCustomTime(kDays, {place.prefix + "packs/", place.prefix + "trees/"});
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto bucket, buckets.Get(place.bucket, stop));
    if (!bucket) return Fail(ErrorCode::kNotFound, "there is no bucket gs://" + place.bucket);
    std::vector<Value> rules = bucket->lifecycle;
    if (std::find(rules.begin(), rules.end(), rule) != rules.end()) return {};
    rules.push_back(rule);
    KINETIC_ASSIGN_OR_RETURN(const auto changed, buckets.SetLifecycle(*bucket, rules, stop));
    if (changed) return {};
  }
  return Fail(ErrorCode::kAborted, "gs://" + place.bucket + ": others keep changing it");
}

}  // namespace kinetic::store
