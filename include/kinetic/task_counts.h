#pragma once

#include <cstdint>

namespace kinetic::inline v0 {

/// How many tasks of an array are in which state. The others have not started.
struct TaskCounts {
  std::uint32_t tasks = 0;  ///< all of them
  std::uint32_t running = 0;
  std::uint32_t succeeded = 0;
  std::uint32_t failed = 0;  ///< also lost and preempted ones
  std::uint32_t cancelled = 0;

  /// Returns how many have ended.
  std::uint32_t Ended() const { return succeeded + failed + cancelled; }
  bool operator==(const TaskCounts&) const = default;
};

}  // namespace kinetic::inline v0
