#pragma once

#include "base/clock.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace kinetic::runner {

/// How long a record waits at most until it is in the store, while somebody follows from there.
inline constexpr std::chrono::seconds kFollowedFlush{2};
/// The same while nobody does. A log begins with the shorter time and comes to this by doubling it.
inline constexpr std::chrono::seconds kUnfollowedFlush{30};
/// So much does not wait.
inline constexpr std::uint64_t kFlushBytes = 1U << 20;
/// But an object is not replaced more often than this.
inline constexpr std::chrono::seconds kFlushPause{1};

/// When what is new in a log goes to the store. Pure: it is told what happens, and asks nobody.
class FlushSchedule {
 public:
  /// There is more than the store has, so many bytes in all.
  void Grown(std::uint64_t unstored_bytes, SteadyTime now);

  /// The store has all there was.
  void Flushed(SteadyTime now);

  /// When to flush; nothing: there is nothing new. In the past: at once.
  std::optional<SteadyTime> Due(bool followed) const;

 private:
  std::optional<SteadyTime> oldest_;  ///< since when the first record waits
  std::uint64_t bytes_ = 0;
  std::optional<SteadyTime> flushed_;
  std::chrono::seconds interval_ = kFollowedFlush;
};

}  // namespace kinetic::runner
