#include "kinetic/try.h"

#include "env/virtualenv/builder.h"
#include "job/bundle/job_bundle.h"
#include "job/environment/recent.h"
#include "job/gc/garbage.h"
#include "job/submit/checks.h"
#include "job/submit/program.h"
#include "local/data_cache.h"

#include <chrono>
#include <string_view>
#include <utility>

namespace kinetic::job {
namespace {

/// How long an environment that no kept job uses is kept after its last use.
constexpr std::chrono::hours kEnvironmentRetention{8 * 24};
/// How long kept data is stored without a job that uses it.
constexpr std::chrono::hours kDataRetention{30 * 24};
/// How long cached metadata of files and modules is kept. Without it, they are read again.
constexpr std::chrono::hours kCacheRetention{30 * 24};

Status CollectEnvironments(Context& context, const GarbageOptions& options,
                           const std::set<std::string>& kept, GarbageReport& report) {
  GarbageReport::Class found{.name = "environments"};
  const Path& cache = context.options.cache_dir;
  KINETIC_ASSIGN_OR_RETURN(const auto environments, env::ListEnvironments(context.fs, cache));
  const WallTime now = context.clock.Now();
  for (const auto& environment : environments) {
    bool is_unused =
        !kept.contains(environment.id) && now - environment.last_used > kEnvironmentRetention;
    if (is_unused && !options.dry_run) {
      KINETIC_ASSIGN_OR_RETURN(is_unused, env::EvictEnvironment(context.fs, cache, environment));
    }
    Count(found, environment.size_bytes, is_unused);
    if (is_unused) report.removed.push_back(environment.root.native());
  }
  report.classes.push_back(std::move(found));
  return {};
}

Status CollectKeptData(Context& context, const GarbageOptions& options, GarbageReport& report) {
  const std::string& folder = context.options.profile.data_cache;
  if (folder.empty()) return {};
  GarbageReport::Class found{.name = "kept data"};
  const local::DataCache cache(context.fs, context.clock, folder);
  KINETIC_ASSIGN_OR_RETURN(const auto sets, cache.List());
  for (const auto& set : sets) {
    bool is_unused = context.clock.Now() - set.last_used > kDataRetention;
    if (is_unused && !options.dry_run) {
      KINETIC_ASSIGN_OR_RETURN(is_unused, cache.Evict(set));
    }
    Count(found, set.size_bytes, is_unused);
    if (is_unused) report.removed.push_back(set.folder.native());
  }
  report.classes.push_back(std::move(found));
  return {};
}

Status SweepMetadata(Context& context) {
  const WallTime before = context.clock.Now() - kCacheRetention;
  for (const std::string_view folder :
       {kStatCacheFolder, kTreeCacheFolder, kLargeFilesFolder, kBundleWarningsFolder,
        kCheckedModulesFolder, kRecentEnvironmentsFolder, kImageChecksFolder, kProgramsFolder}) {
    KINETIC_RETURN_IF_ERROR(
        RemoveOlderThan(context.fs, context.options.cache_dir / folder, before));
  }
  return env::SweepEnvironments(ToolOptionsOf(context), kEnvironmentRetention);
}

}  // namespace

Status CollectCaches(Context& context, const GarbageOptions& options,
                     const std::set<std::string>& kept, GarbageReport& report) {
  KINETIC_RETURN_IF_ERROR(CollectEnvironments(context, options, kept, report));
  if (!options.dry_run) KINETIC_RETURN_IF_ERROR(SweepMetadata(context));
  return CollectKeptData(context, options, report);
}

}  // namespace kinetic::job
