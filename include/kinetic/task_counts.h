#pragma once

#include "kinetic/export.h"

#include <cstdint>
#include <string>

namespace kinetic::inline v0 {

/// The number of tasks of an array in each state. The others wait.
struct TaskCounts {
  std::uint32_t tasks = 0;  ///< all of them
  std::uint32_t running = 0;
  std::uint32_t succeeded = 0;
  std::uint32_t failed = 0;  ///< also lost and preempted ones
  std::uint32_t cancelled = 0;

  /// Returns how many have ended.
  std::uint32_t Ended() const { return succeeded + failed + cancelled; }
  /// Returns "1,203/10,000 done, 4 failed, 20 running": done counts all tasks that have ended.
  KINETIC_EXPORT std::string ToString() const;
  bool operator==(const TaskCounts&) const = default;
};

}  // namespace kinetic::inline v0
