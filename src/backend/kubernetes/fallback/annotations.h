#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/time/clock.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The accelerators of a job's list. A Job is made for one of them and carries the others, so that
/// any client can make the next Job of it, whatever its version, profile and record. All of it is
/// pure. docs/adr/0014-accelerator-fallbacks.md says why.

namespace kinetic::backend {

/// An accelerator that a Job is not made for yet.
struct Choice {
  std::string accelerator;                            ///< "gpu-l4"
  std::optional<std::chrono::milliseconds> patience;  ///< absent: it is waited for to the end
  Value pod_template;                                 ///< of the Job that is made for it
};

/// An accelerator that could not be had.
struct Tried {
  std::string accelerator;
  std::string reason;  ///< "no node has nvidia-h100-80gb"
  WallTime until;      ///< when it was given up
};

/// Adds what a Job says of its own patience and of the choices that come after it.
void AnnotateChoices(Value::Map& annotations, std::optional<std::chrono::milliseconds> patience,
                     const std::vector<Choice>& later);

/// The accelerator that comes after a Job's own; empty: none does.
std::string NextAccelerator(const Value& job);
/// How long a Job's accelerator is waited for; absent: to the end.
std::optional<std::chrono::milliseconds> PatienceOf(const Value& job);
/// The accelerators that were tried before, the first one first.
std::vector<Tried> TriedBefore(const Value& job);
/// When the job's first Job was made, by the server's clock.
std::optional<WallTime> SubmittedAt(const Value& job);

/// The Job for the next accelerator, of the same name, to be created when `job` is gone.
///
/// @param job     as the server has it.
/// @param reason  why its accelerator cannot be had.
/// @errors  kFailedPrecondition: no accelerator is left, or what the Job carries is none of
///          kinetic's.
Result<Value> JobForNext(const Value& job, std::string_view reason, WallTime now);

}  // namespace kinetic::backend
