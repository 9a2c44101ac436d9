#pragma once

#include "kinetic/accelerator.h"
#include "kinetic/bundle.h"
#include "kinetic/client.h"
#include "kinetic/environment.h"
#include "kinetic/explanation.h"
#include "kinetic/image_difference.h"
#include "kinetic/image_explanation.h"
#include "kinetic/job.h"
#include "kinetic/value.h"

/// What `--json` prints. Times are RFC 3339 in UTC, sizes are bytes; a member that is not known is
/// null.
namespace kinetic::cli {

Value TimelineDocument(
    const std::vector<std::pair<std::string, std::chrono::system_clock::time_point>>& timeline);
Value ToDocument(const JobSummary& summary);
/// A summary with how it ended.
Value ToDocument(const JobSummary& summary, const Outcome& outcome);
Value ToDocument(const std::string& job_id, const Explanation& explanation);
Value ToDocument(const LogRecord& record);
Value ToDocument(const BundleListing& listing);
Value ToDocument(const BundleDifference& difference);
Value ToDocument(const EnvironmentLock& lock);
Value ToDocument(const EnvironmentSummary& environment);
Value ToDocument(const EnvironmentImage& image);
Value ToDocument(const ImageExplanation& explanation);
Value ToDocument(const ImageContents& before, const ImageContents& now,
                 const ImageDifference& difference);
Value ToDocument(const DataSet& data);
Value ToDocument(const EnvironmentExplanation& explanation);
Value ToDocument(const Plan& plan);
Value ToDocument(const GarbageReport& report);
Value ToDocument(const Accelerator& accelerator);

/// "stdout", "stderr" or "system".
std::string_view Name(Stream stream);
/// "file", "symlink" or "folder".
std::string_view Name(BundleEntry::Type type);
/// "added", "removed" or "modified".
std::string_view Name(BundleChange::Kind kind);
/// "cpu", "gpu" or "tpu".
std::string_view Name(AcceleratorKind kind);

}  // namespace kinetic::cli
