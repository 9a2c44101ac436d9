#include "kinetic/metrics.h"

#include "kinetic/job.h"

namespace kinetic::inline v0 {

Status ReadMetrics(const Job& job, const std::function<Status(const MetricRow& row)>& each,
                   const LogOptions& options) {
  return job.Logs(options, [&](const LogRecord& record) -> Status {
    if (record.stream != Stream::kStdout) return {};
    auto numbers = ParseMetrics(record.text);
    if (!numbers) return {};
    return each({.sequence = record.sequence,
                 .attempt = record.attempt,
                 .time = record.time,
                 .numbers = *std::move(numbers)});
  });
}

}  // namespace kinetic::inline v0
