#pragma once

#include "store/object_store.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace kinetic::test {

/// A store whose operations a test can observe, delay and make fail.
///
/// @threads  as the underlying store.
class WatchedStore : public store::Store {
 public:
  /// Called before each operation ("put", "get", "stat", "list", "touch", "remove", "now"), and
  /// after a successful put ("stored"). Its error becomes that of the operation; for "stored" it
  /// means a lost response. It may block, so that a test controls the order.
  using Hook = std::function<Status(std::string_view operation, std::string_view name)>;

  explicit WatchedStore(std::unique_ptr<store::Store> below) : below_(std::move(below)) {}

  void SetHook(Hook hook) { hook_ = std::move(hook); }

  /// Changes what Now returns, as wrong dates of responses do. ExactNow is not affected.
  void SetEstimate(std::function<WallTime(WallTime now)> estimate) {
    estimate_ = std::move(estimate);
  }

  /// Removes an object directly, as a lifecycle rule does.
  void Drop(std::string_view name);
  /// Returns content without calling the hook; nullopt if there is no such object.
  std::optional<std::string> Peek(const std::string& name) const;
  /// Returns all objects without calling the hook.
  std::map<std::string, store::ObjectInfo> Objects() const;

  std::string Location() const override { return below_->Location(); }
  Result<WallTime> Now(std::stop_token stop) override;
  Result<WallTime> ExactNow(std::stop_token stop) override;
  Result<std::optional<store::ObjectInfo>> Put(std::string_view name, store::Source& source,
                                               const store::Precondition& precondition,
                                               const store::PutOptions& options,
                                               std::stop_token stop) override;
  Result<std::optional<store::ReadResult>> Get(std::string_view name, const store::Range& range,
                                               const store::Sink& sink,
                                               std::stop_token stop) override;
  Result<std::optional<store::ObjectInfo>> Stat(std::string_view name,
                                                std::stop_token stop) override;
  Status List(std::string_view prefix, std::string_view start,
              const std::function<Result<bool>(const store::ObjectInfo&)>& each,
              std::stop_token stop) override;
  Result<std::optional<store::ObjectInfo>> Touch(std::string_view name,
                                                 const store::TouchOptions& options,
                                                 std::stop_token stop) override;
  Result<store::Removal> RemoveIfUnchanged(const store::ObjectInfo& seen,
                                           std::stop_token stop) override;
  Result<std::uint64_t> RemoveLeftovers(std::stop_token stop) override;

 private:
  Status Before(std::string_view operation, std::string_view name, const std::stop_token& stop);

  const std::unique_ptr<store::Store> below_;
  Hook hook_;
  std::function<WallTime(WallTime)> estimate_;
};

}  // namespace kinetic::test
