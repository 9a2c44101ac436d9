#pragma once

#include "base/clock.h"
#include "store/store.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace kinetic::runner {

/// Looks whether somebody follows a job's log from the store: who does renews jobs/{id}/following
/// every ten seconds.
///
/// @threads  one thread at a time.
class FollowWatch {
 public:
  FollowWatch(store::Store& store, Clock& clock, std::string_view id);

  /// Whether somebody was seen lately. Asks the store when it was not asked lately; a store that
  /// does not answer shows nobody.
  bool Look(std::stop_token stop);

  /// When asking again may tell something new.
  SteadyTime next_look() const { return next_look_; }

 private:
  store::Store& store_;
  Clock& clock_;
  const std::string name_;
  SteadyTime next_look_;
  std::pair<std::int64_t, std::int64_t> last_;  ///< generation and metageneration
  std::optional<SteadyTime> seen_;
};

}  // namespace kinetic::runner
