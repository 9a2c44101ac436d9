#pragma once

#include "base/time/clock.h"
#include "store/object_store.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// How long a request to Cloud Storage is retried below RetryingStore, which reports the wait.
inline constexpr std::chrono::seconds kRequestRetryTime{5};
/// How long an operation on an unavailable store is retried.
inline constexpr std::chrono::minutes kStoreRetryTime{30};
/// How long an operation is retried while the job is being stopped. A client stores the rest later.
inline constexpr std::chrono::seconds kStoppedRetryTime{10};

/// How long an operation is retried if the store rejects the credential. Only another program can
/// renew such a credential. A client with a valid credential stores the rest.
inline constexpr std::chrono::seconds kRefusedRetryTime{20};

/// How long an operation is retried if the store's disk is full or too many files are open. Only a
/// user can change that. A client stores the rest afterwards.
inline constexpr std::chrono::seconds kExhaustedRetryTime{10};

/// Retries operations on an unavailable store with growing delays for kStoreRetryTime;
/// store::IsStoreUnavailable defines which errors mean unavailable. Writes only to a store that
/// contains the proof object, and so never to the empty mount point of an unmounted disk.
///
/// @errors   those of the store below; if it stays unavailable, that of the last try.
/// @threads  safe to call concurrently.
class RetryingStore final : public store::Store {
 public:
  struct Options {
    std::string proof;        ///< object that proves that the store is the right one; may be empty
    std::stop_token stopped;  ///< limits retries to kStoppedRetryTime
    /// Called on the waiting thread with the reason when waiting starts, and with an empty one when
    /// it ends.
    std::function<void(std::string_view reason)> on_wait;
  };

  RetryingStore(store::Store& below, Clock& clock, Options options)
      : below_(below), clock_(clock), options_(std::move(options)) {}

  std::string Location() const override { return below_.Location(); }
  Result<WallTime> Now(std::stop_token stop) override;
  Result<WallTime> ExactNow(std::stop_token stop) override;
  Result<std::optional<store::ObjectInfo>> Put(std::string_view name, store::Source& source,
                                               const store::Precondition& precondition,
                                               const store::PutOptions& options,
                                               std::stop_token stop) override;
  /// After the sink has received data, continued with the same generation or not at all.
  Result<std::optional<store::ReadResult>> Get(std::string_view name, const store::Range& range,
                                               const store::Sink& sink,
                                               std::stop_token stop) override;
  Result<std::optional<store::ObjectInfo>> Stat(std::string_view name,
                                                std::stop_token stop) override;
  /// Retried until `each` has been called.
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
  class RetryTimer;

  Status CheckProof(const std::stop_token& stop);
  template <typename Attempt>
  std::invoke_result_t<Attempt> WithRetries(const Attempt& attempt, const std::stop_token& stop);

  store::Store& below_;
  Clock& clock_;
  const Options options_;
};

}  // namespace kinetic::runner
