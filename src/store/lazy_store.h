#pragma once

#include "store/object_store.h"

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

/// A store that is usable while it is still being checked, so that a first read and the check take
/// one round trip instead of two. Reads are sent at once, but return only after the check has
/// passed. Changes wait for the check. If the check fails, the calls that need it return its error,
/// and the next call checks again. The first object that is stored in an empty location creates the
/// store.
class LazyStore final : public Store {
 public:
  /// Returns whether the store exists; false: the location is empty.
  using Check = std::function<Result<bool>(Store& store, std::stop_token stop)>;
  /// Creates the store. Called again after a failure.
  using Create = std::function<Status(Store& store, std::stop_token stop)>;

  /// Starts the check in a thread. What the functions refer to must outlive this object.
  LazyStore(std::unique_ptr<Store> store, Check check, Create create);

  std::string Location() const override { return store_->Location(); }
  Result<WallTime> Now(std::stop_token stop) override;
  Result<WallTime> ExactNow(std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Put(std::string_view name, Source& source,
                                        const Precondition& precondition, const PutOptions& options,
                                        std::stop_token stop) override;
  Status Flush(const std::vector<std::string>& names) override { return store_->Flush(names); }
  Result<std::optional<ReadResult>> Get(std::string_view name, const Range& range, const Sink& sink,
                                        std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Stat(std::string_view name, std::stop_token stop) override;
  Status List(std::string_view prefix, std::string_view start,
              const std::function<Result<bool>(const ObjectInfo&)>& each,
              std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Touch(std::string_view name, const TouchOptions& options,
                                          std::stop_token stop) override;
  Result<Removal> RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) override;
  Result<std::vector<Removal>> RemoveAll(const std::vector<ObjectInfo>& seen,
                                         std::stop_token stop) override;
  Result<std::uint64_t> RemoveLeftovers(std::stop_token stop) override;

 private:
  /// Checks again if the last check failed.
  void Begin();
  void StartCheck();
  /// Waits for the check. Returns whether the store exists, or the error of the check. A requested
  /// stop takes precedence over an error.
  Result<bool> Await(const std::stop_token& stop);
  /// Begin and Await.
  Result<bool> Ready(const std::stop_token& stop);
  Status EnsureExists(const std::stop_token& stop);

  const std::unique_ptr<Store> store_;
  const Check check_;
  const Create create_;
  std::mutex creation_;  ///< held during `create_`
  std::mutex mutex_;     ///< of the following members
  std::condition_variable_any checked_;
  std::optional<Result<bool>> exists_;  ///< nullopt: the check has not finished
  std::jthread checker_;                ///< the last member, so that it ends before the others
};

/// A folder store that does not exist yet. The first object that is stored creates it; reads find
/// nothing and create nothing. Another process may create the store at any time.
class UncreatedStore final : public Store {
 public:
  /// Creates the store or checks the one that exists by now.
  using Create = std::function<Status(const std::stop_token& stop)>;
  /// Returns whether the store's folder exists.
  using Exists = std::function<bool()>;

  UncreatedStore(std::unique_ptr<Store> store, Exists exists, Create create)
      : store_(std::move(store)), exists_(std::move(exists)), create_(std::move(create)) {}

  std::string Location() const override { return store_->Location(); }
  Result<WallTime> Now(std::stop_token stop) override;
  Result<WallTime> ExactNow(std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Put(std::string_view name, Source& source,
                                        const Precondition& precondition, const PutOptions& options,
                                        std::stop_token stop) override;
  Status Flush(const std::vector<std::string>& names) override { return store_->Flush(names); }
  Result<std::optional<ReadResult>> Get(std::string_view name, const Range& range, const Sink& sink,
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
  const std::unique_ptr<Store> store_;
  const Exists exists_;
  const Create create_;
  std::mutex mutex_;
  bool is_created_ = false;  ///< by this object; its folder may vanish later, with its disk
};

}  // namespace kinetic::store
