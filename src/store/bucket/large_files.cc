#include "store/bucket/large_files.h"

#include "kinetic/try.h"

#include "http/body.h"

#include <utility>

namespace kinetic::store {

LargeFiles::LargeFiles(const gcs::Client& client, gcs::Buckets buckets,
                       const BucketLocation& location, LargeFileOptions options)
    : buckets_(std::move(buckets)),
      bucket_(location.bucket),
      options_(std::move(options)),
      upload_(client, location.prefix + std::string(kPartsFolder), options_.transfer) {}

bool LargeFiles::Accepts(const Source& source, std::stop_token stop) {
  if (source.size_bytes() < options_.min_bytes || !source.file()) return false;
  const std::lock_guard lock(mutex_);
  if (bucket_allows_parts_) return *bucket_allows_parts_;
  const auto bucket = buckets_.Get(bucket_, std::move(stop));
  const bool known = bucket && *bucket;
  const bool denied = !bucket && bucket.error().code == ErrorCode::kPermissionDenied;
  // Other errors may be temporary, so the next large file tries again.
  if (known || denied) bucket_allows_parts_ = known && (*bucket)->DeletesImmediately();
  return bucket_allows_parts_.value_or(false);
}

Result<std::optional<gcs::Object>> LargeFiles::Store(const Source& source, const std::string& name,
                                                     const gcs::InsertOptions& options,
                                                     std::stop_token stop) {
  {
    std::unique_lock lock(mutex_);
    if (!freed_.wait(lock, stop, [this] { return !busy_; })) {
      return Fail(ErrorCode::kCancelled, "stopped while storing " + name);
    }
    busy_ = true;
  }
  const OpenFile file = *source.file();
  const auto body = std::make_shared<http::FileBody>(*file.fs, file.fd, 0, source.size_bytes());
  auto stored = upload_.Store(body, name, options, std::move(stop));
  const std::lock_guard lock(mutex_);
  busy_ = false;
  freed_.notify_one();
  return stored;
}

}  // namespace kinetic::store
