#pragma once

#include "gcs/bucket.h"
#include "gcs/composite_upload.h"
#include "store/bucket_location.h"
#include "store/store.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::store {

/// Where parts are, below the prefix of a store: where no object's name can be.
inline constexpr std::string_view kPartsFolder = ".tmp/parts/";

/// When a file goes in parts, and how.
struct LargeFileOptions {
  std::uint64_t least_bytes = 64U << 20;
  TransferOptions transfer = {};
};

/// Stores large files in a bucket over several connections: in parts, in kPartsFolder, that are
/// composed at the end and removed. Only where the bucket keeps nothing back: parts
/// would stay, and be paid for, for as long as it does.
///
/// @errors   those of gcs::CompositeUpload.
/// @threads  safe to call concurrently. One file at a time travels in parts; others wait.
class LargeFiles {
 public:
  /// `client` outlives it.
  LargeFiles(const gcs::Client& client, gcs::Buckets buckets, const BucketLocation& place,
             LargeFileOptions options);

  /// Whether a source is to be stored here. The bucket is asked once, for the first large file; one
  /// that may not be looked at, or cannot be just now, is taken for one that keeps things.
  bool Takes(const Source& source, std::stop_token stop);

  /// A source that Takes says yes to. Nothing: the precondition does not hold.
  Result<std::optional<gcs::Object>> Store(const Source& source, const std::string& name,
                                           const gcs::InsertOptions& options, std::stop_token stop);

  /// Removes parts that were stored before that time. @returns how many bytes they had.
  Result<std::uint64_t> RemoveLeftovers(WallTime before, std::stop_token stop) const {
    return upload_.RemoveLeftovers(before, std::move(stop));
  }

 private:
  const gcs::Buckets buckets_;
  const std::string bucket_;
  const LargeFileOptions options_;
  const gcs::CompositeUpload upload_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  bool busy_ = false;
  std::optional<bool> fits_;  ///< whether the bucket keeps nothing back, once it was asked
};

}  // namespace kinetic::store
