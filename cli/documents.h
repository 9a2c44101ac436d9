#pragma once

#include "kinetic/accelerator.h"
#include "kinetic/bundle.h"
#include "kinetic/client.h"
#include "kinetic/datasets.h"
#include "kinetic/environment.h"
#include "kinetic/explanation.h"
#include "kinetic/job.h"
#include "kinetic/job_difference.h"
#include "kinetic/metrics.h"
#include "kinetic/value.h"

#include <cstdint>
#include <string>

/// The documents that `--json` prints. Times are RFC 3339 in UTC. Sizes are in bytes. Unknown
/// members are null.
namespace kinetic::cli {

inline Value TextOrNull(const std::string& text) { return text.empty() ? Value() : Value(text); }
inline Value Number(std::uint64_t number) { return static_cast<std::int64_t>(number); }

/// Returns the document of a command's only job, or the list of documents of several.
inline Value OneOrList(Value::List documents) {
  if (documents.size() == 1) return std::move(documents.front());
  return documents;
}

Value TimelineDocument(
    const std::vector<std::pair<std::string, std::chrono::system_clock::time_point>>& timeline);
Value ToDocument(const JobSummary& summary);
/// Returns a summary with its outcome.
Value ToDocument(const JobSummary& summary, const Outcome& outcome);
/// Same, without the value.
Value ToStateDocument(const JobSummary& summary, const Outcome& outcome);
Value ToDocument(const std::string& job_id, const Explanation& explanation);
Value ToDocument(const LogRecord& record);
Value ToDocument(const MetricRow& row);
Value MetricsDocument(const Metrics& numbers);
/// Returns a map of maps with `last`, `min`, `max`, `count`.
Value MetricsDocument(const std::vector<MetricSummary>& summary);
Value ToDocument(const BundleListing& listing);
Value ToDocument(const BundleDifference& difference);
Value ToDocument(const JobDifference& difference);
Value ToDocument(const EnvironmentLock& lock);
Value ToDocument(const std::vector<PackageOrigin>& origins);
Value ToDocument(const EnvironmentSummary& environment);
Value ToDocument(const EnvironmentImage& image);
Value ToDocument(const Dataset& data);
Value ToDocument(const EnvironmentExplanation& explanation);
Value ToDocument(const Plan& plan);
Value ToDocument(const GarbageReport& report);
Value ToDocument(const Accelerator& accelerator);
Value VersionDocument();

/// Returns "stdout", "stderr" or "system".
std::string_view Name(Stream stream);
/// Returns "file", "symlink" or "folder".
std::string_view Name(BundleEntry::Type type);
/// Returns "added", "removed" or "modified".
std::string_view Name(BundleChange::Kind kind);
/// Returns "cpu", "gpu" or "tpu".
std::string_view Name(AcceleratorKind kind);

}  // namespace kinetic::cli
