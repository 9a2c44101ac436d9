#pragma once

#include <atomic>
#include <cstdint>

namespace kinetic::runner {

/// The progress of one copy.
///
/// @threads  safe to call concurrently.
struct CopyCounter {
  std::atomic<std::uint64_t> done_bytes = 0;
  std::atomic<std::uint64_t> total_bytes = 0;  ///< 0: not known yet
};

}  // namespace kinetic::runner
