#include "kinetic/try.h"

#include "env/virtualenv/seal.h"
#include "job/bundle/job_bundle.h"
#include "job/environment/recent.h"
#include "job/gc/collection.h"
#include "job/gc/garbage.h"
#include "job/gc/programs.h"
#include "job/submit/checks.h"
#include "job/submit/program.h"
#include "local/data_cache.h"
#include "local/job_cache.h"

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::job {
namespace {

/// How long an environment that no kept job uses is kept after its last use.
constexpr std::chrono::hours kEnvironmentRetention{8 * 24};
/// How long a package set that no environment links to is kept after a build used it.
constexpr std::chrono::hours kPackageSetRetention{48};
/// How long kept data is stored without a job that uses it.
constexpr std::chrono::hours kDataRetention{30 * 24};
/// How long the job cache is kept after the last job of this machine started.
constexpr std::chrono::hours kJobCacheRetention{30 * 24};
/// How long cached metadata of files and modules is kept. Without it, they are read again.
constexpr std::chrono::hours kCacheRetention{30 * 24};

/// Makes jobs build a damaged environment again. It is not removed: a job may be running in it.
Status VerifyEnvironment(Context& context, const env::CachedEnvironment& environment, bool dry_run,
                         GarbageReport& report) {
  const std::string damage = env::FindDamage(context.fs, environment);
  // Another process may have removed it.
  if (damage.empty() || !context.fs.Lstat(environment.root)) return {};
  report.warnings.push_back("environment " + environment.id.substr(0, 12) + " is damaged: " +
                            damage + "; the next job that uses it builds it again");
  return dry_run ? Status() : env::Unseal(context.fs, environment, context.clock.Now());
}

/// The package sets to which environments that are kept link.
struct LinkedSets {
  std::set<Path> roots;
  bool is_complete = true;  ///< false if the links of an environment are unknown
};

Status CollectEnvironments(Context& context, const GarbageOptions& options,
                           const std::set<std::string>& kept, LinkedSets& linked,
                           GarbageReport& report) {
  const auto retention = RetentionOf(options, kEnvironmentRetention);
  GarbageReport::Class found{.name = "environments", .why_kept = WhyKept("a job", retention)};
  const Path& cache = context.options.cache_dir;
  KINETIC_ASSIGN_OR_RETURN(const auto environments, env::ListEnvironments(context.fs, cache));
  const WallTime now = context.clock.Now();
  for (const auto& environment : environments) {
    bool is_unused = !kept.contains(environment.id) && now - environment.last_used > retention;
    if (is_unused && !options.dry_run) {
      KINETIC_ASSIGN_OR_RETURN(is_unused, env::EvictEnvironment(context.fs, cache, environment));
    }
    Count(found, environment.size_bytes, is_unused);
    if (is_unused) {
      report.removed.push_back(environment.root.native());
      continue;
    }
    if (!environment.damage.empty()) {
      linked.is_complete = false;
      report.warnings.push_back("environment " + environment.id.substr(0, 12) +
                                " is damaged: " + environment.damage +
                                "; package sets are kept until it is built again or removed");
      continue;
    }
    linked.roots.insert(environment.package_sets.begin(), environment.package_sets.end());
    if (!options.verify) continue;
    KINETIC_RETURN_IF_ERROR(VerifyEnvironment(context, environment, options.dry_run, report));
  }
  report.classes.push_back(std::move(found));
  return {};
}

Status CollectPackageSets(Context& context, const GarbageOptions& options, const LinkedSets& linked,
                          GarbageReport& report) {
  const auto usual = RetentionOf(options, kPackageSetRetention);
  GarbageReport::Class found{.name = "package sets",
                             .why_kept = linked.is_complete
                                             ? WhyKept("an environment", usual)
                                             : "a damaged environment may need them"};
  const Path& cache = context.options.cache_dir;
  KINETIC_ASSIGN_OR_RETURN(const auto sets, env::ListPackageSets(context.fs, cache));
  const WallTime now = context.clock.Now();
  for (const auto& set : sets) {
    // The installer of a killed build may still write to a temporary folder.
    const bool is_temporary =
        env::EnvironmentCacheLayout::IsTemporary(set.root.filename().native());
    const auto retention = is_temporary ? kPackageSetRetention : usual;
    bool is_unused =
        linked.is_complete && !linked.roots.contains(set.root) && now - set.last_used > retention;
    if (is_unused && !options.dry_run) {
      KINETIC_ASSIGN_OR_RETURN(is_unused, env::EvictPackageSet(context.fs, cache, set));
    }
    Count(found, set.size_bytes, is_unused);
    if (is_unused) report.removed.push_back(set.root.native());
  }
  report.classes.push_back(std::move(found));
  return {};
}

Status CollectKeptData(Context& context, const GarbageOptions& options, GarbageReport& report) {
  const std::string& folder = context.options.profile.data_cache;
  if (folder.empty()) return {};
  const auto retention = RetentionOf(options, kDataRetention);
  GarbageReport::Class found{.name = "kept data", .why_kept = WhyKept("", retention)};
  const local::DataCache cache(context.fs, context.clock, folder);
  KINETIC_ASSIGN_OR_RETURN(const auto sets, cache.List());
  for (const auto& set : sets) {
    bool is_unused = context.clock.Now() - set.last_used > retention;
    if (is_unused && !options.dry_run) {
      KINETIC_ASSIGN_OR_RETURN(is_unused, cache.Evict(set));
    }
    Count(found, set.size_bytes, is_unused);
    if (is_unused) report.removed.push_back(set.folder.native());
  }
  report.classes.push_back(std::move(found));
  return {};
}

Status CollectJobCache(Context& context, const GarbageOptions& options, GarbageReport& report) {
  const Path folder = local::JobCacheFolder(context.options.cache_dir);
  KINETIC_ASSIGN_OR_RETURN(const auto parts, local::ListJobCache(context.fs, folder));
  if (parts.empty()) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto last_used, local::LastUseOfJobCache(context.fs, folder));
  const auto retention = RetentionOf(options, kJobCacheRetention);
  const bool is_old = last_used && context.clock.Now() - *last_used > retention;
  GarbageReport::Class found{.name = "job cache", .why_kept = WhyKept("", retention)};
  for (const auto& part : parts) {
    // A job may have started since the previous part was removed.
    KINETIC_ASSIGN_OR_RETURN(const auto active, ActiveJobs(context.fs, context.options.state_dir));
    bool is_unused = is_old && active.empty();
    if (is_unused && !options.dry_run) {
      if (const Status removed = RemoveTree(context.fs, part.path); !removed) {
        report.warnings.push_back("cannot remove " + part.path.native() + ": " +
                                  removed.error().message);
        is_unused = false;
      }
    }
    Count(found, part.size_bytes, is_unused);
    if (is_unused) report.removed.push_back(part.path.native());
  }
  report.classes.push_back(std::move(found));
  return {};
}

Status SweepMetadata(Context& context, const GarbageOptions& options) {
  const WallTime before = context.clock.Now() - RetentionOf(options, kCacheRetention);
  for (const std::string_view folder :
       {kStatCacheFolder, kTreeCacheFolder, kLargeFilesFolder, kBundleWarningsFolder,
        kCheckedModulesFolder, kRecentEnvironmentsFolder, kImageChecksFolder, kProgramsFolder}) {
    KINETIC_RETURN_IF_ERROR(
        RemoveOlderThan(context.fs, context.options.cache_dir / folder, before));
  }
  return env::SweepEnvironments(ToolOptionsOf(context),
                                RetentionOf(options, kEnvironmentRetention));
}

}  // namespace

Status CollectCaches(Context& context, const GarbageOptions& options,
                     const std::set<std::string>& kept, GarbageReport& report) {
  LinkedSets linked;
  KINETIC_RETURN_IF_ERROR(CollectEnvironments(context, options, kept, linked, report));
  KINETIC_RETURN_IF_ERROR(CollectPackageSets(context, options, linked, report));
  if (!options.dry_run) KINETIC_RETURN_IF_ERROR(SweepMetadata(context, options));
  KINETIC_RETURN_IF_ERROR(CollectJobCache(context, options, report));
  return CollectKeptData(context, options, report);
}

}  // namespace kinetic::job
