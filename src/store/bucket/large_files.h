#pragma once

#include "gcs/bucket.h"
#include "gcs/parallel_transfer.h"
#include "store/bucket/location.h"
#include "store/object_store.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::store {

/// The folder of parts, below the store's prefix. No object's name can begin with it.
inline constexpr std::string_view kPartsFolder = ".tmp/parts/";

struct LargeFileOptions {
  std::uint64_t min_bytes = 64U << 20;  ///< smaller files are stored in one request
  TransferOptions transfer = {};
};

/// Uploads large files to a bucket in parallel parts. The parts are in kPartsFolder, are composed
/// into the object, and are then removed. Buckets that retain removed objects are excluded, because
/// their owner would pay for the parts.
///
/// @errors   those of gcs::CompositeUpload.
/// @threads  safe to call concurrently. One file at a time is uploaded; other calls wait.
class LargeFiles {
 public:
  /// `client` must outlive this object.
  LargeFiles(const gcs::Client& client, gcs::Buckets buckets, const BucketLocation& location,
             LargeFileOptions options);

  /// Returns whether Store should be used for `source`. Reads the bucket's settings once, for the
  /// first large file. Returns false if they cannot be read.
  bool Accepts(const Source& source, std::stop_token stop);

  /// Stores a source that Accepts returned true for. Returns nullopt if the precondition fails.
  Result<std::optional<gcs::Object>> Store(const Source& source, const std::string& name,
                                           const gcs::InsertOptions& options, std::stop_token stop);

  /// Removes parts stored before `before`. Returns their size in bytes.
  Result<std::uint64_t> RemoveLeftovers(WallTime before, std::stop_token stop) const {
    return upload_.RemoveOrphanedParts(before, std::move(stop));
  }

 private:
  const gcs::Buckets buckets_;
  const std::string bucket_;
  const LargeFileOptions options_;
  const gcs::CompositeUpload upload_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  bool busy_ = false;
  std::optional<bool> bucket_allows_parts_;  ///< nullopt until the bucket's settings were read
};

}  // namespace kinetic::store
