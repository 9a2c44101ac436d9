#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace kinetic::runner {

/// Watches what a job's processes use of the memory, and holds them to a limit where there is one.
///
/// Where the kernel lets us make a memory cgroup (v2 with the controller delegated, or v1), it
/// keeps the limit and ends a process that exceeds it. Elsewhere the processes are looked at often;
/// the caller ends them.
///
/// @threads  one thread at a time.
class MemoryLimit {
 public:
  virtual ~MemoryLimit() = default;

  /// The cgroup.procs file that the program is to enter; empty: none.
  virtual Path EntryFile() const { return {}; }
  /// Looks; true when the limit was exceeded, now or before.
  virtual bool Exceeded() = 0;
  /// The most that was seen, in bytes; 0: not known.
  virtual std::uint64_t PeakBytes() const = 0;
  /// Whether looking must be done often.
  virtual bool NeedsSampling() const = 0;
};

/// @param limit_bytes  absent: only the peak is watched.
/// @param name         of the cgroup; unique on the machine.
std::unique_ptr<MemoryLimit> MakeMemoryLimit(std::optional<std::uint64_t> limit_bytes,
                                             std::string_view name);

/// Watches the memory of the container that this process runs in, whose limit the kernel holds.
std::unique_ptr<MemoryLimit> MakeContainerMemory();

/// The watchdog alone, over the descendants of this process.
std::unique_ptr<MemoryLimit> MakeMemoryWatchdog(std::optional<std::uint64_t> limit_bytes);

}  // namespace kinetic::runner
