#pragma once

#include "base/time/remote_clock.h"
#include "gcs/client.h"
#include "http/server_clock.h"
#include "store/bucket/conflict_pacer.h"
#include "store/bucket/large_files.h"
#include "store/bucket/location.h"
#include "store/object_store.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::store {

/// Stores objects in a Cloud Storage bucket: docs/reference/store.md, "Bucket store". An object's
/// lease is its custom time, by the server's clock, which `updated` shows. Every change is conditional on a generation.
class GcsStore final : public Store {
 public:
  /// `clock` must outlive the store.
  GcsStore(std::shared_ptr<http::Transport> transport, Clock& clock, BucketLocation location,
           const gcs::ClientOptions& options, LargeFileOptions large = {});

  std::string Location() const override;
  Result<WallTime> Now(std::stop_token stop) override;
  Result<WallTime> ExactNow(std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Put(std::string_view name, Source& source,
                                        const Precondition& precondition, const PutOptions& options,
                                        std::stop_token stop) override;
  Result<std::optional<ReadResult>> Get(std::string_view name, const Range& range, const Sink& sink,
                                        std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Stat(std::string_view name, std::stop_token stop) override;
  /// Skips objects whose names CheckName rejects.
  Status List(std::string_view prefix, std::string_view start,
              const std::function<Result<bool>(const ObjectInfo&)>& each,
              std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Touch(std::string_view name, const TouchOptions& options,
                                          std::stop_token stop) override;
  Result<Removal> RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) override;
  /// Sends one request for up to 100 objects.
  Result<std::vector<Removal>> RemoveAll(const std::vector<ObjectInfo>& seen,
                                         std::stop_token stop) override;
  Result<std::uint64_t> RemoveLeftovers(std::stop_token stop) override;

 private:
  std::string NameInBucket(std::string_view name) const {
    return location_.prefix + std::string(name);
  }
  /// Returns the best known time without a request.
  std::optional<WallTime> EstimatedNow() const {
    const auto written = written_clock_.Now();
    return written ? written : server_clock_.Now();
  }
  Result<std::optional<gcs::Object>> Insert(const std::string& name, Source& source,
                                            const gcs::InsertOptions& options,
                                            std::stop_token stop);
  ObjectInfo InfoOf(const gcs::Object& object) const;
  std::optional<ObjectInfo> InfoOf(const std::optional<gcs::Object>& object) const;

  const std::shared_ptr<http::Transport> transport_;
  http::ServerClock server_clock_;  ///< from the Date of responses
  RemoteClock written_clock_;       ///< from `updated` of what this object has stored
  const BucketLocation location_;
  const gcs::Client client_;
  LargeFiles large_;
  ConflictPacer conflicts_;
};

/// Adds a store to the lifecycle rules of its bucket, so that it removes packs and trees 90 days
/// after their last lease and leftover parts of files after a day, even if kinetic is no longer
/// used. All stores of a bucket share these two rules. Keeps other rules.
///
/// @errors  kPermissionDenied: the account may not change the bucket · those of gcs::Buckets.
Status EnsureLifecycleRules(const gcs::Buckets& buckets, Clock& clock,
                            const BucketLocation& location, std::stop_token stop);

}  // namespace kinetic::store
