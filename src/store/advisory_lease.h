#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"
#include "store/object_store.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace kinetic::store {

/// A lease that lets one process at a time, on one or several machines, create something that
/// others may also need. The lease is an object that its holder renews. A lease that was not
/// renewed for `expiry`, by the clock of the waiting process, belongs to a dead holder and is taken
/// over.
///
/// The lease is advisory: it saves work but does not fence. A holder that was only suspended
/// continues beside the new holder, so creating the same thing twice must be harmless.
///
/// @threads  one thread at a time.
class AdvisoryLease {
 public:
  struct Timing {
    std::chrono::milliseconds renew_interval{8'000};
    std::chrono::milliseconds poll_interval{1'000};
    std::chrono::milliseconds expiry{30'000};
  };

  /// The process that acquires the lease.
  struct Client {
    std::string name;  ///< stored with the lease, for the `is_dead` of other clients
    /// Returns whether a holder is known to have ended, which frees its lease at once. May be
    /// empty.
    std::function<bool(std::string_view name)> is_dead;
    std::function<void()> on_wait;  ///< called once if another client has the lease; may be empty
  };

  /// Waits until this process holds the lease. The store and the clock must outlive the lease.
  ///
  /// @errors  those of Store.
  static Result<std::unique_ptr<AdvisoryLease>> Acquire(Store& store, Clock& clock,
                                                        std::string name, const Client& client,
                                                        const Timing& timing, std::stop_token stop);

  /// Releases the lease.
  ~AdvisoryLease();
  AdvisoryLease(const AdvisoryLease&) = delete;
  AdvisoryLease& operator=(const AdvisoryLease&) = delete;

 private:
  AdvisoryLease(Store& store, Clock& clock, std::string name, std::int64_t generation,
                std::chrono::milliseconds renew_interval);
  void Renew(const std::stop_token& stop);

  Store& store_;
  Clock& clock_;
  const std::string name_;
  const std::int64_t generation_;
  const std::chrono::milliseconds renew_interval_;
  std::jthread renewer_;
};

}  // namespace kinetic::store
