#pragma once

#include "store/object_store.h"

#include <chrono>
#include <stop_token>

/// The only place that compares times of a store: the lease of an object with the store's clock.
namespace kinetic::store {

/// Nothing is removed by age if clocks differ by more than this.
inline constexpr std::chrono::minutes kMaxClockDifference{10};

/// Returns whether an object is older than `age`. A lease in the future is not.
inline bool IsOlder(WallTime lease, WallTime now, WallTime::duration age) {
  return now - lease > age;
}

/// Returns whether an object is younger than `age`. A lease in the future is from a wrong clock and
/// proves nothing.
inline bool IsFresh(WallTime lease, WallTime now, WallTime::duration age) {
  return now - lease < age && lease - now <= kMaxClockDifference;
}

/// Returns Store::ExactNow, for removals by age.
///
/// @errors  kFailedPrecondition: the clock of this machine, or of the server that responded for the
///          store, differs from the store's clock by more than kMaxClockDifference.
Result<WallTime> AgreedNow(Store& store, const Clock& clock, const std::stop_token& stop);

}  // namespace kinetic::store
