#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace kinetic::runner {

/// Measures the memory of a job's processes and enforces a limit.
///
/// Where a memory cgroup can be created (version 1, or version 2 with a delegated controller), the
/// kernel enforces the limit. Elsewhere the caller samples often and kills the processes.
///
/// @threads  one thread at a time.
class MemoryLimit {
 public:
  virtual ~MemoryLimit() = default;

  /// Returns the cgroup.procs file that the program must enter; empty if there is none.
  virtual Path EntryFile() const { return {}; }
  /// Takes a sample; returns whether the limit was exceeded now or before.
  virtual bool Exceeded() = 0;
  /// Returns the highest sample in bytes; 0 if it is unknown.
  virtual std::uint64_t PeakBytes() const = 0;
  /// Returns whether the caller must sample often.
  virtual bool NeedsSampling() const = 0;
};

/// @param limit_bytes  absent: only the peak is measured.
/// @param name         of the cgroup; unique on the machine.
std::unique_ptr<MemoryLimit> MakeMemoryLimit(std::optional<std::uint64_t> limit_bytes,
                                             std::string_view name);

/// Returns a limit that reports when the kernel enforces that of this process's container.
std::unique_ptr<MemoryLimit> MakeContainerMemory();

/// Returns a limit that samples the descendants of this process, without a cgroup.
std::unique_ptr<MemoryLimit> MakeMemoryWatchdog(std::optional<std::uint64_t> limit_bytes);

}  // namespace kinetic::runner
