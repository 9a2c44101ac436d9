#pragma once

#include "kinetic/observer.h"
#include "kinetic/outcome.h"

#include <chrono>
#include <optional>
#include <stop_token>

namespace kinetic::inline v0 {

/// How long to wait for a job, and what for. The end of a wait does not affect the job.
struct WaitOptions {
  std::stop_token stop = {};  ///< ends the wait with kCancelled
  /// Ends the wait with kDeadlineExceeded.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  OutcomeContent content = OutcomeContent::kAll;
  /// Of Job::Wait: receives the beginning and end of phases; outlives the call; may be null.
  Observer* observer = nullptr;
};

/// When to return before the work is done.
struct StopOptions {
  std::stop_token stop = {};  ///< returns kCancelled
  /// Returns kDeadlineExceeded.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

}  // namespace kinetic::inline v0
