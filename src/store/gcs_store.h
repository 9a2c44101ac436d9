#pragma once

#include "gcs/client.h"
#include "http/server_clock.h"
#include "store/bucket_location.h"
#include "store/large_files.h"
#include "store/store.h"

#include <memory>
#include <string>
#include <string_view>

namespace kinetic::store {

/// Objects in a bucket of Cloud Storage: docs/reference/store.md, "In a bucket". An object's lease
/// is its custom time, measured by the server's clock.
///
/// Safe with any number of processes and machines: each change carries the generation that it is
/// about.
class GcsStore final : public Store {
 public:
  /// `clock` outlives the store.
  GcsStore(std::shared_ptr<http::Transport> transport, Clock& clock, BucketLocation place,
           const gcs::ClientOptions& options, LargeFileOptions large = {});

  std::string Location() const override;
  Result<WallTime> Now(std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Put(std::string_view name, Source& source,
                                        const Precondition& precondition, const PutOptions& options,
                                        std::stop_token stop) override;
  Result<std::optional<ReadObject>> Get(std::string_view name, const Range& range, const Sink& sink,
                                        std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Stat(std::string_view name, std::stop_token stop) override;
  /// Objects whose names no store would give are passed over.
  Status List(std::string_view prefix, std::string_view start,
              const std::function<Result<bool>(const ObjectInfo&)>& each,
              std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Touch(std::string_view name, const TouchOptions& options,
                                          std::stop_token stop) override;
  Result<Removal> RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) override;
  Result<std::uint64_t> RemoveLeftovers(std::stop_token stop) override;

 private:
  std::string NameInBucket(std::string_view name) const {
    return place_.prefix + std::string(name);
  }
  Result<std::optional<gcs::Object>> Insert(const std::string& name, Source& source,
                                            const gcs::InsertOptions& options,
                                            std::stop_token stop);
  ObjectInfo InfoOf(const gcs::Object& object) const;
  std::optional<ObjectInfo> InfoOf(const std::optional<gcs::Object>& object) const;

  const std::shared_ptr<http::Transport> transport_;
  http::ServerClock server_clock_;
  const BucketLocation place_;
  const gcs::Client client_;
  LargeFiles large_;
};

}  // namespace kinetic::store
