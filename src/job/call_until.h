#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::job {

/// Returns the error of a call whose deadline has passed.
///
/// @param job  becomes the detail "job" of the error; empty: no job.
inline Failure DeadlinePassed(std::string_view operation, std::string_view job = {}) {
  Error error{
      ErrorCode::kDeadlineExceeded, std::string(operation) + ": the deadline has passed", {}, {}};
  if (!job.empty()) error.details.emplace_back("job", job);
  return Failure(std::move(error));
}

/// Returns the time until a deadline, at most a year.
inline std::chrono::milliseconds TimeUntil(SteadyTime deadline) {
  constexpr std::chrono::milliseconds kMost = std::chrono::hours(24 * 365);
  const SteadyTime now = std::chrono::steady_clock::now();
  if (deadline <= now) return {};
  return std::min(kMost, std::chrono::floor<std::chrono::milliseconds>(deadline - now));
}

/// Calls a function with a stop token that is also stopped at the deadline.
///
/// @param operation  "waiting for job ab12".
/// @param job        as in DeadlinePassed.
/// @errors           those of `call`, with kDeadlineExceeded instead of kCancelled if the deadline
///                   ended it.
template <typename Call>
auto CallUntil(const std::optional<SteadyTime>& deadline, const std::stop_token& stop,
               std::string_view operation, const Call& call, std::string_view job = {})
    -> decltype(call(stop)) {
  if (!deadline) return call(stop);
  const Deadline limit(TimeUntil(*deadline), stop);
  auto result = call(limit.token());
  if (result || !limit.expired() || result.error().code != ErrorCode::kCancelled) return result;
  return DeadlinePassed(operation, job);
}

}  // namespace kinetic::job
