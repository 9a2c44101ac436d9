#pragma once

#include "base/time/clock.h"
#include "store/object_store.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace kinetic::runner {

/// Detects clients that follow a job's log from the store: they renew jobs/{id}/following every ten
/// seconds.
///
/// @threads  one thread at a time.
class FollowerDetector {
 public:
  FollowerDetector(store::Store& store, Clock& clock, std::string_view id);

  /// Returns whether a client has followed in the last 30 seconds. Queries the store at most every
  /// ten seconds, first after two seconds; an unavailable store counts as no client.
  bool IsFollowed(std::stop_token stop);

  /// Returns when the store will be queried again.
  SteadyTime next_poll() const { return next_poll_; }

 private:
  store::Store& store_;
  Clock& clock_;
  const std::string name_;
  SteadyTime next_poll_;
  std::pair<std::int64_t, std::int64_t> last_;  ///< generation and metageneration
  std::optional<SteadyTime> seen_;
};

}  // namespace kinetic::runner
