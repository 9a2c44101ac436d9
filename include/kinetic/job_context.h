#pragma once

#include "kinetic/export.h"
#include "kinetic/metrics.h"
#include "kinetic/result.h"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

namespace kinetic::inline v0 {

/// The job that a C++ function runs in.
struct JobContext {
  std::string id;
  std::uint32_t attempt = 1;          ///< from 1
  std::filesystem::path output;       ///< kinetic stores the files that the job writes here
  std::filesystem::path checkpoints;  ///< also restored for the next attempt and for a rerun
  std::filesystem::path data;         ///< datasets for the absolute paths of `data`
  std::uint32_t task = 0;   ///< of an array: the index of the task that calls the function
  std::uint32_t tasks = 1;  ///< of an array: how many tasks it has

  /// Returns the token that is stopped when the job should end: it was cancelled, its node is shut
  /// down, or its time is over. The process is killed after the job's grace period. If the function
  /// never calls this, the process is killed at once, by SIGTERM.
  ///
  /// If the function of a cancelled job returns a value, the job has succeeded. To end it as
  /// cancelled, throw an exception.
  ///
  /// The first call replaces the program's handler of SIGTERM. Outside of a job, returns a token that
  /// is never stopped.
  KINETIC_EXPORT std::stop_token StopToken() const;
};

/// Returns the job that called this function, or null in a program that is not part of a job.
///
/// @threads  safe to call concurrently.
KINETIC_EXPORT const JobContext* CurrentJob();

/// Writes a row of metrics to the standard output, below what std::cout and stdout hold:
/// `LogMetrics({{"step", step}, {"loss", loss}})`. Also works outside of a job.
///
/// @threads  safe to call concurrently.
/// @errors   those of FormatMetrics; the standard output cannot be written.
KINETIC_EXPORT Status LogMetrics(const Metrics& numbers);

}  // namespace kinetic::inline v0
