#pragma once

#include "base/time/clock.h"

#include <mutex>
#include <optional>

namespace kinetic {

/// The time of another machine's clock, read once and continued with the steady clock of this one.
///
/// @threads  safe to call concurrently.
class RemoteClock {
 public:
  /// `clock` must outlive the object.
  explicit RemoteClock(const Clock& clock) : clock_(clock) {}

  /// Records that the other clock had `time` this long ago.
  void Set(WallTime time, SteadyTime::duration ago = {});

  /// Records a reading that may arrive after a later one, and that is never ahead of the other
  /// clock. Keeps the later estimate.
  void Advance(WallTime time);

  /// Returns nullopt before the first reading, and after this machine slept or its clock was set.
  std::optional<WallTime> Now() const;

 private:
  std::optional<WallTime> Estimate() const;  ///< with mutex_ held

  struct Reading {
    WallTime time;    ///< the other clock's
    SteadyTime when;  ///< steady time of the reading
    WallTime here;    ///< wall time of the reading
  };

  const Clock& clock_;
  mutable std::mutex mutex_;
  std::optional<Reading> last_;
};

}  // namespace kinetic
