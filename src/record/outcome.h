#pragma once

#include "kinetic/job.h"
#include "kinetic/job_spec.h"

#include "base/hash/digest.h"
#include "record/job_key.h"
#include "record/status.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::record {

/// The exit codes of jobs that have a meaning for kinetic: docs/reference/exit-codes.md.
inline constexpr int kExitException = 1;         ///< an exception, or a value that cannot be stored
inline constexpr int kExitNotStored = 120;       ///< the result could not be stored
inline constexpr int kExitTooLate = 121;         ///< did not start in time
inline constexpr int kExitPreempted = 122;       ///< preempted without retries left
inline constexpr int kExitBeforeUserCode = 123;  ///< failed before user code
inline constexpr int kExitTimeLimit = 124;
inline constexpr int kExitLost = 125;
inline constexpr int kExitCancelled = 126;
inline constexpr int kExitKilled = 128 + 9;  ///< by SIGKILL

/// Returns the exit code of a job that kinetic ended in this final state.
///
/// @param other  for other states than kSucceeded, kCancelled, kPreempted and kLost.
int ExitCodeFor(JobState state, int other);

/// Returns whether another attempt follows.
bool ShouldRetry(const RetrySpec& retry, const Outcome& outcome, std::uint32_t attempt);

/// The contents of result.json, version 1 (docs/reference/store.md): kinetic::Outcome, with the
/// value either inline or named by the digest of value.json.
struct StoredOutcome {
  JobKey job;                     ///< the job that ended
  Outcome outcome;                ///< outcome.value is set only if it is inline
  std::optional<Digest> value;    ///< sha256 of value.json of outcome.attempt, if it is not inline
  std::string written_by;         ///< "runner", "client", "gc"
  std::string evidence;           ///< what was observed, if not written by the runner
  std::uint64_t log_records = 0;  ///< records in the whole log
  /// Why the end of the log is missing, or empty. `log_records` then counts the records before it.
  std::string log_gap = {};
  std::vector<Moment> moments;  ///< the timeline with details
  /// For how long this attempt and those before held their nodes, or all tasks of an array.
  std::chrono::milliseconds node_time{};
};

/// Larger values are stored as value.json. With this limit a result fits into the initial
/// congestion window of a TCP connection, so a server sends it without waiting for an
/// acknowledgement.
inline constexpr std::size_t kInlineValueBytes = 12 * 1024;

/// Longer values are neither stored nor read.
inline constexpr std::uint64_t kMaxValueBytes = 64U << 20;

/// A longer time is invalid: 100,000 tasks for two years.
inline constexpr std::chrono::milliseconds kMaxNodeTime = std::chrono::hours(100'000L * 24 * 730);

/// Adds two valid times. The sum is valid, too.
inline std::chrono::milliseconds AddNodeTimes(std::chrono::milliseconds a,
                                              std::chrono::milliseconds b) {
  return std::min(a + b, kMaxNodeTime);
}

std::string ToJson(const StoredOutcome& outcome);

/// @errors  kDataLoss: not a result, or with a value although the job failed · kFailedPrecondition:
///          of a newer version.
Result<StoredOutcome> OutcomeFromJson(std::string_view json);

/// Same, for the outcome of a certain job.
///
/// @errors  also kDataLoss: the outcome of another job.
Result<StoredOutcome> OutcomeOfJob(std::string_view json, const JobKey& expected);

}  // namespace kinetic::record
