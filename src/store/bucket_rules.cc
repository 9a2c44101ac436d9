#include "store/bucket_rules.h"

#include "base/try.h"
#include "store/large_files.h"

#include <algorithm>

namespace kinetic::store {
namespace {

constexpr int kDays = 90;
/// When parts of files belong to nobody any more.
constexpr int kPartDays = 1;
/// How often others may change the bucket meanwhile.
constexpr int kAttempts = 5;

}  // namespace

Status EnsureLifecycle(const gcs::Buckets& buckets, const BucketLocation& place,
                       std::stop_token stop) {
  const Value ours[] = {
      gcs::DeletionAfterCustomTime(kDays, {place.prefix + "packs/", place.prefix + "trees/"}),
      gcs::DeletionByAge(kPartDays, {place.prefix + std::string(kPartsFolder)})};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto bucket, buckets.Get(place.bucket, stop));
    if (!bucket) return Fail(ErrorCode::kNotFound, "there is no bucket gs://" + place.bucket);
    std::vector<Value> rules = bucket->lifecycle;
    for (const Value& rule : ours) {
      if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
    }
    if (rules.size() == bucket->lifecycle.size()) return {};
    KINETIC_ASSIGN_OR_RETURN(const auto changed, buckets.SetLifecycle(*bucket, rules, stop));
    if (changed) return {};
  }
  return Fail(ErrorCode::kAborted, "gs://" + place.bucket + ": others keep changing it");
}

}  // namespace kinetic::store
