#pragma once

#include "store/store.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace kinetic::store {

/// A store that is used while it is still being checked, so that asking for objects and checking
/// take one round trip and not two. No answer is given, and nothing is changed, before the check
/// has passed; when it has failed, every call fails as it did.
///
/// @threads  as every Store.
class OpeningStore final : public Store {
 public:
  /// Whether the store may be used; may also make it fit for that.
  using Check = std::function<Status(Store& store, std::stop_token stop)>;

  /// Begins the check; what `check` holds on to outlives the object.
  OpeningStore(std::unique_ptr<Store> store, Check check);

  std::string Location() const override { return store_->Location(); }
  Result<WallTime> Now(std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Put(std::string_view name, Source& source,
                                        const Precondition& precondition, const PutOptions& options,
                                        std::stop_token stop) override;
  Result<std::optional<ReadObject>> Get(std::string_view name, const Range& range, const Sink& sink,
                                        std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Stat(std::string_view name, std::stop_token stop) override;
  Status List(std::string_view prefix, std::string_view start,
              const std::function<Result<bool>(const ObjectInfo&)>& each,
              std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Touch(std::string_view name, const TouchOptions& options,
                                          std::stop_token stop) override;
  Result<Removal> RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) override;
  Result<std::uint64_t> RemoveLeftovers(std::stop_token stop) override;

 private:
  /// Waits for the check.
  Status Await(const std::stop_token& stop);

  const std::unique_ptr<Store> store_;
  std::mutex mutex_;
  std::condition_variable_any checked_;
  std::optional<Status> outcome_;
  std::jthread checking_;  ///< ends before the rest does
};

}  // namespace kinetic::store
