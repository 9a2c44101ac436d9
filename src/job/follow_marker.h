#pragma once

#include "base/clock.h"
#include "store/store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Tells a job's runner, by way of the store, that somebody follows its log from there: it stores
/// what is new every two seconds then, instead of every thirty.
///
/// @threads  one thread at a time.
class FollowMarker {
 public:
  FollowMarker(store::Store& store, Clock& clock, std::string_view id);

  /// Renews the marker when that was not done for ten seconds. Who may not write only waits longer.
  void Renew(const std::stop_token& stop);

 private:
  store::Store& store_;
  Clock& clock_;
  const std::string name_;
  std::optional<SteadyTime> renewed_;
};

}  // namespace kinetic::job
