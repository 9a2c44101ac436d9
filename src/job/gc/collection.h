#pragma once

#include "bundle/gc/content_removal.h"
#include "job/context.h"
#include "record/index.h"
#include "record/referenced_trees.h"
#include "store/age.h"

#include <chrono>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// How long the leftovers of a job without a record are kept.
inline constexpr std::chrono::hours kIncompleteJobRetention{24};
/// How long a package stored for pod environments is kept after its last use.
inline constexpr std::chrono::hours kPackageRetention{30 * 24};

/// Returns how long something unused is kept: the usual time, or none with GarbageOptions::all.
inline std::chrono::hours RetentionOf(const GarbageOptions& options, std::chrono::hours usual) {
  return options.all ? std::chrono::hours{0} : usual;
}

/// Explains why objects are kept: "used in the last 8 days".
///
/// @param needed_by  what may need them: "a job", "an environment"; empty: nothing.
/// @param retention  0: what was used recently is not kept.
std::string WhyKept(std::string_view needed_by, std::chrono::hours retention);

/// The state of a garbage collection: one listing of the store, and the report.
struct Collection {
  Context& context;
  const GarbageOptions& options;
  std::stop_token stop;
  WallTime now = {};
  std::vector<JobSummary> jobs = {};
  record::IndexObjects index = {};
  record::Referrers referrers = {};  ///< without removed jobs
  std::map<std::string_view, std::vector<store::ObjectInfo>> documents = {};  ///< by prefix
  record::References references = {};
  std::mutex mutex = {};  ///< of damaged and report.warnings
  std::vector<store::ObjectInfo> damaged = {};
  GarbageReport report = {};

  bool IsOlder(const store::ObjectInfo& info, WallTime::duration age) const;
  /// Warns about an object, unless there is already a warning about it.
  void Warn(const Error& error, std::string_view advice);
  Result<bool> HasRecord(std::string_view id) const;
};

}  // namespace kinetic::job
