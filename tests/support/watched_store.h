#pragma once

#include "store/object_store.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace kinetic::test {

/// A store whose every operation a test may see, delay, make fail and get between.
///
/// @threads  safe to call concurrently where the one below is.
class WatchedStore : public store::Store {
 public:
  /// Called before each operation ("put", "get", "stat", "list", "touch", "remove", "now"), and for
  /// a put once more after it took effect ("stored"). Its error is the operation's; that of
  /// "stored" is an answer that got lost. It may block, which is how a test decides who goes next.
  using Hook = std::function<Status(std::string_view operation, std::string_view name)>;

  explicit WatchedStore(std::unique_ptr<store::Store> below) : below_(std::move(below)) {}

  void SetHook(Hook hook) { hook_ = std::move(hook); }

  /// Removes an object behind everybody's back, as a lifecycle rule does.
  void Drop(std::string_view name);
  /// Content, past the hook; nothing when there is no such object.
  std::optional<std::string> Peek(const std::string& name) const;
  /// Everything there is, past the hook.
  std::map<std::string, store::ObjectInfo> Objects() const;

  std::string Location() const override { return below_->Location(); }
  Result<WallTime> Now(std::stop_token stop) override;
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
};

}  // namespace kinetic::test
