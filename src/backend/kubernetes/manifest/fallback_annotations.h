#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/time/clock.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The accelerators of a job's list. A Job is created for one of them and carries the others, so
/// that any client can create the next Job, whatever its version, profile and record. All functions
/// are pure. See docs/adr/0014-accelerator-fallbacks.md.

namespace kinetic::backend {

/// An accelerator that a job can fall back to.
struct FallbackAccelerator {
  std::string accelerator;                           ///< "gpu-l4"
  std::optional<std::chrono::milliseconds> timeout;  ///< how long to wait; absent: no limit
  Value pod_template;                                ///< of its Job
};

/// An accelerator that was not available.
struct FailedAccelerator {
  std::string accelerator;
  std::string reason;  ///< "no node has nvidia-h100-80gb"
  WallTime until;      ///< when the job moved on
};

/// Annotates a Job with the wait time of its accelerator, and the later accelerators.
void AnnotateFallbacks(Value::Map& annotations, std::optional<std::chrono::milliseconds> timeout,
                       const std::vector<FallbackAccelerator>& later);

/// Returns the accelerator after the Job's own, or an empty string.
std::string NextAccelerator(const Value& job);
/// Returns how long to wait for a Job's accelerator, or nullopt if there is no limit.
std::optional<std::chrono::milliseconds> FallbackTimeoutOf(const Value& job);
/// Returns the accelerators that were tried before, in order.
std::vector<FailedAccelerator> FailedAccelerators(const Value& job);
/// Returns when the job's first Job was created, by the server's clock.
std::optional<WallTime> SubmittedAt(const Value& job);

/// Returns the Job for the next accelerator. It has the same name and is created after `job` is
/// deleted.
///
/// @param job     as returned by the server.
/// @param reason  why its accelerator is not available.
/// @errors  kFailedPrecondition: no accelerator is left, or the annotations are not kinetic's.
Result<Value> MakeNextJob(const Value& job, std::string_view reason, WallTime now);

}  // namespace kinetic::backend
