#pragma once

#include <cstdint>

namespace kinetic::runner {

/// Why a job is stopped before its program ends.
enum class StopReason : std::uint8_t {
  kNone,
  kCancelled,       ///< the file `cancel` was created
  kTerminated,      ///< this process received SIGTERM, as on shutdown
  kPendingTimeout,  ///< timeouts.pending passed before user code started
  kPreempted,       ///< the pod was deleted by another client; only a pod's collector knows
};

}  // namespace kinetic::runner
