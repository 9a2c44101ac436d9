#pragma once

#include "kinetic/export.h"
#include "kinetic/log_record.h"
#include "kinetic/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::inline v0 {

class Job;

/// Numbers that a job logs at one time, with their names, in the order of the job: a step, a loss.
/// They can be NaN or infinite.
using Metrics = std::vector<std::pair<std::string, double>>;

/// A row of a job's metrics.
struct MetricRow {
  std::uint64_t sequence = 0;  ///< the position in the log of the line that has it
  std::uint32_t attempt = 1;
  std::chrono::system_clock::time_point time;
  Metrics numbers;
};

/// All numbers that a job has logged with one name. The minimum and the maximum are without NaN,
/// unless there is no other number.
struct MetricSummary {
  std::string name;
  double last = 0;
  double min = 0;
  double max = 0;
  std::uint64_t count = 0;
};

/// The maximum number of names, in a row and in a summary.
inline constexpr std::size_t kMaxMetrics = 64;
/// The maximum length of a name, in bytes.
inline constexpr std::size_t kMaxMetricNameBytes = 128;

/// Parses a line of a job's standard output: `{"kinetic.metrics": {"step": 1, "loss": 2.07}}`.
/// docs/reference/runner.md has the format.
///
/// @returns  nullopt for every other line.
KINETIC_EXPORT std::optional<Metrics> ParseMetrics(std::string_view line);

/// Returns the line of a row, without a line feed.
///
/// @errors  kInvalidArgument: there is no number or more than kMaxMetrics, or a name is empty, longer
///          than kMaxMetricNameBytes, or not UTF-8.
KINETIC_EXPORT Result<std::string> FormatMetrics(const Metrics& numbers);

/// Adds a row to a summary, which is in the order in which the names appear. A name above the limit
/// is ignored.
KINETIC_EXPORT void AddMetrics(const Metrics& numbers, std::vector<MetricSummary>& summary);

/// Reads the metrics from a job's log; with `follow`, until the log ends. Calls `each` on the
/// calling thread.
///
/// @param options  of the log. A `tail` counts records of the log.
/// @errors         those of `each` and Job::Logs.
KINETIC_EXPORT Status ReadMetrics(const Job& job,
                                  const std::function<Status(const MetricRow& row)>& each,
                                  const LogOptions& options = {});

}  // namespace kinetic::inline v0
