#pragma once

#include "kinetic/metrics.h"
#include "kinetic/value.h"

#include "json/document.h"

#include <string>
#include <string_view>
#include <vector>

/// The stored forms of metrics: in the log, of a job in result.json, of a task in its summary.
namespace kinetic::record {

/// The beginning of a row of metrics in the log.
inline constexpr std::string_view kMetricsPrefix = R"({"kinetic.metrics":)";

/// Returns an integer without a fraction.
Value MetricValue(double number);

/// Returns a list of objects with `name`, `last`, `min`, `max`, `count`.
Value MetricsValue(const std::vector<MetricSummary>& summary);
/// Returns an empty list if the field is missing.
std::vector<MetricSummary> ReadMetricSummaries(json::ObjectReader& reader, std::string_view key);

/// Returns the last numbers.
Metrics LastMetrics(const std::vector<MetricSummary>& summary);
/// Returns a JSON object of at most `limit` bytes with the numbers, without the last ones if these do not fit.
std::string MetricsText(const Metrics& numbers, std::size_t limit);
/// Parses what MetricsText returns. Ignores what is invalid.
Metrics MetricsFromText(std::string_view json);

}  // namespace kinetic::record
