#include "job/lifecycle/garbage.h"

#include "kinetic/try.h"

#include "backend/capabilities.h"
#include "base/concurrency/parallel.h"
#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_removal.h"
#include "env/virtualenv/builder.h"
#include "job/bundle/job_bundle.h"
#include "job/context.h"
#include "job/environment/recent.h"
#include "job/find.h"
#include "job/images/records.h"
#include "job/lifecycle/outcome.h"
#include "job/lifecycle/reconcile.h"
#include "job/submit/checks.h"
#include "job/summary.h"
#include "local/data_cache.h"
#include "record/checkpoint.h"
#include "record/index.h"
#include "record/log/reader.h"
#include "record/object_names.h"
#include "record/packages/objects.h"
#include "record/referenced_trees.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

using Class = GarbageReport::Class;

/// How long a lock or an environment that no kept job names is kept after its last use.
constexpr std::chrono::hours kEnvironmentRetention{8 * 24};
constexpr std::chrono::hours kLockRetention{90 * 24};
/// How long a package stored for pod environments is kept after its last use.
constexpr std::chrono::hours kPackageRetention{30 * 24};
/// How long the XLA compilation cache is kept after the last job that used it.
constexpr std::chrono::hours kCompiledRetention{30 * 24};
/// How long the lease of an exited image builder is kept. A running builder renews its lease.
constexpr std::chrono::hours kLeaseRetention{24};
/// How long kept data is stored without a job that uses it.
constexpr std::chrono::hours kDataRetention{30 * 24};
/// How long cached metadata of files and modules is kept. Without it, they are read again.
constexpr std::chrono::hours kCacheRetention{30 * 24};

/// How long the leftovers of a job without a record are kept.
constexpr std::chrono::hours kIncompleteJobRetention{24};

constexpr std::size_t kRecordReads = 8;

/// How long inputs and logs of image builds are kept for inspection.
constexpr std::chrono::hours kBuildRetention{7 * 24};

/// The objects that kept jobs name, in addition to their bundles.
struct References {
  std::set<std::string> manifest_keys;
  std::set<std::string> environment_ids;
  std::set<std::string> images;  ///< as TaggedName returns them
};

/// Objects that are removed individually after a time without use.
struct UnusedClass {
  const char* name;
  std::array<std::string_view, 3> prefixes;  ///< empty ones are unused
  std::chrono::hours retention;
};

constexpr std::array<UnusedClass, 4> kUnused{{
    // Maps packages to trees. The trees themselves are content.
    {"packages",
     {record::kPackagePrefix, record::kEnvironmentPrefix, record::kLayerPrefix},
     kPackageRetention},
    // Inputs and logs of build services. A build takes at most one day.
    {"builds", {record::kBuildPrefix}, kBuildRetention},
    {"leases", {record::kImageLeasePrefix}, kLeaseRetention},
    {"compiled", {record::kCompiledPrefix}, kCompiledRetention},
}};

class Collection {
 public:
  Collection(Context& context, const GarbageOptions& options, std::stop_token stop)
      : context_(context), options_(options), stop_(std::move(stop)) {}

  Result<GarbageReport> Run() {
    KINETIC_ASSIGN_OR_RETURN(now_, context_.store->Now(stop_));
    KINETIC_RETURN_IF_ERROR(ReconcileAll(context_, stop_));
    KINETIC_RETURN_IF_ERROR(CollectOrphans());
    KINETIC_RETURN_IF_ERROR(CollectJobs());
    KINETIC_RETURN_IF_ERROR(CollectDamagedEntries());
    KINETIC_RETURN_IF_ERROR(CollectCheckpoints());
    if (options_.verify) {
      KINETIC_RETURN_IF_ERROR(VerifyContent());
      KINETIC_RETURN_IF_ERROR(VerifyJobs());
    }
    KINETIC_RETURN_IF_ERROR(CollectContent());
    KINETIC_RETURN_IF_ERROR(CollectPackages());
    KINETIC_RETURN_IF_ERROR(CollectKeptData());
    return std::move(report_);
  }

 private:
  /// Locks, stored packages, images and environments.
  Status CollectPackages() {
    KINETIC_ASSIGN_OR_RETURN(const References kept, ReadKept());
    KINETIC_RETURN_IF_ERROR(CollectLocks(kept));
    KINETIC_RETURN_IF_ERROR(CollectUnused());
    KINETIC_RETURN_IF_ERROR(CollectImages(
        context_, {.referenced = kept.images, .now = now_, .dry_run = options_.dry_run}, report_,
        stop_));
    return CollectEnvironments(kept);
  }

  static void Count(Class& found, std::uint64_t bytes, bool removed) {
    (removed ? found.removed : found.kept) += 1;
    (removed ? found.removed_bytes : found.kept_bytes) += bytes;
  }

  /// A client that may collect garbage in the store may lack permissions on the target.
  Status CollectOrphans() {
    auto left = context_.target->RemoveOrphans(options_.dry_run, stop_);
    if (!left && left.error().code == ErrorCode::kCancelled) return Failure(left.error());
    if (!left) {
      const bool by_right = left.error().code == ErrorCode::kPermissionDenied;
      context_.Log(by_right ? LogLevel::kInfo : LogLevel::kWarning,
                   "cannot remove orphaned objects: " + left.error().message);
      return {};
    }
    if (left->empty()) return {};
    report_.classes.push_back({.name = "left in the cluster", .removed = left->size()});
    for (auto& name : *left) report_.removed.push_back(std::move(name));
    return {};
  }

  Status CollectJobs() {
    Class found{.name = "jobs"};
    auto listing = std::async(std::launch::async, [this] { return JobSizes(); });
    KINETIC_ASSIGN_OR_RETURN(auto jobs, record::NewestJobs(*context_.store, 0, stop_));
    KINETIC_ASSIGN_OR_RETURN(sizes_, listing.get());
    KINETIC_RETURN_IF_ERROR(RestoreEntries(jobs));
    for (auto& indexed : jobs) {
      const std::string id = indexed.id;
      const Status collected = CollectJob(std::move(indexed), found);
      if (collected) continue;
      if (collected.error().code != ErrorCode::kDataLoss) return collected;
      found.kept += 1;
      Warn(collected.error(), "to remove the job: kinetic rm --force " + id);
    }
    report_.classes.push_back(std::move(found));
    return {};
  }

  /// Restores lost index entries, without which no command lists the jobs, and adds these jobs.
  Status RestoreEntries(std::vector<JobSummary>& jobs) {
    std::set<std::string, std::less<>> indexed;
    for (const JobSummary& job : jobs) indexed.insert(job.id);
    for (const auto& [id, bytes] : sizes_) {
      if (indexed.contains(id) || !CheckJobId(id)) continue;
      const auto record = ReadRecord(*context_.store, id, stop_);
      if (!record && record.error().code != ErrorCode::kDataLoss) return Failure(record.error());
      if (!record) Warn(record.error(), "to remove the job: kinetic rm --force " + id);
      // A young one may just be submitted.
      if (!record || !*record || now_ - (*record)->created < kSubmissionTimeout) continue;
      jobs.push_back(record::SummaryOf(**record));
      report_.warnings.push_back("job " + id +
                                 " has no entry in the index; 'kinetic gc' restores it");
      if (options_.dry_run) continue;
      KINETIC_RETURN_IF_ERROR(record::CreateIndex(*context_.store, jobs.back(), stop_));
      report_.warnings.back() = "restored the index entry of job " + id;
    }
    return {};
  }

  Status CollectJob(JobSummary indexed, Class& found) {
    KINETIC_ASSIGN_OR_RETURN(const JobSummary job, Refresh(context_, std::move(indexed), stop_));
    const auto size = sizes_.find(job.id);
    const std::uint64_t bytes = size == sizes_.end() ? 0 : size->second;
    KINETIC_ASSIGN_OR_RETURN(const bool is_unused, ShouldRemove(job));
    Count(found, bytes, is_unused);
    if (!is_unused) {
      kept_jobs_.push_back(job.id);
      return {};
    }
    report_.removed.push_back(record::JobFolder(job.id));
    if (options_.dry_run) {
      removed_jobs_.insert(job.id);
      return {};
    }
    return IsTerminal(job.state) ? RemoveJob(context_, job, stop_)
                                 : RemoveStoredJob(context_, job, stop_);
  }

  /// Removes damaged index entries that stand for no job.
  Status CollectDamagedEntries() {
    std::vector<store::ObjectInfo> damaged;
    const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
      const bool is_old = now_ - info.lease > kIncompleteJobRetention;
      const auto known = record::SummaryFromMetadata(info.metadata);
      if (known && (record::IndexName(known->created, known->id) == info.name ||
                    record::EndedIndexName(known->created, known->id) == info.name)) {
        return true;
      }
      if (is_old) damaged.push_back(info);
      return true;
    };
    KINETIC_RETURN_IF_ERROR(context_.store->List(record::kIndexPrefix, "", take, stop_));
    for (const auto& entry : damaged) {
      const std::string record = record::RecordName(record::IdOfIndexName(entry.name));
      const auto there = context_.store->Stat(record, stop_);
      if (there && *there) continue;
      report_.removed.push_back(entry.name);
      if (options_.dry_run) continue;
      KINETIC_RETURN_IF_ERROR(context_.store->RemoveIfUnchanged(entry, stop_));
    }
    return {};
  }

  void Warn(const Error& error, const std::string& advice) {
    const std::lock_guard lock(warnings_mutex_);
    report_.warnings.push_back(error.message + " (" + advice + ")");
  }

  /// Removes checkpoints left by an interrupted removal, or by a runner that outlived its job.
  Status CollectCheckpoints() {
    KINETIC_ASSIGN_OR_RETURN(const auto listed,
                             record::ListCheckpoints(*context_.store, {}, stop_));
    for (const auto& checkpoint : listed) {
      if (now_ - checkpoint.info.lease <= kIncompleteJobRetention) continue;
      KINETIC_ASSIGN_OR_RETURN(const auto record,
                               context_.store->Stat(record::RecordName(checkpoint.id), stop_));
      if (record) continue;
      report_.removed.push_back(checkpoint.info.name);
      if (options_.dry_run) {
        removed_jobs_.insert(checkpoint.id);
        continue;
      }
      KINETIC_RETURN_IF_ERROR(context_.store->RemoveIfUnchanged(checkpoint.info, stop_));
    }
    return {};
  }

  /// Returns whether to remove a job: by age if it has ended, after one day if it was never
  /// submitted.
  Result<bool> ShouldRemove(const JobSummary& job) const {
    if (!IsTerminal(job.state)) {
      if (std::chrono::abs(now_ - job.created) <= kIncompleteJobRetention) return false;
      KINETIC_ASSIGN_OR_RETURN(const auto record,
                               context_.store->Stat(record::RecordName(job.id), stop_));
      return !record;
    }
    if (!options_.jobs_older_than) return false;
    return now_ - job.finished.value_or(job.created) > *options_.jobs_older_than;
  }

  /// Returns the bytes of each job's folder.
  Result<std::map<std::string, std::uint64_t, std::less<>>> JobSizes() const {
    std::map<std::string, std::uint64_t, std::less<>> sizes;
    const auto add = [&](const store::ObjectInfo& info) -> Result<bool> {
      const std::string_view path = std::string_view(info.name).substr(record::kJobPrefix.size());
      sizes[std::string(path.substr(0, path.find('/')))] += info.size_bytes;
      return true;
    };
    KINETIC_RETURN_IF_ERROR(context_.store->List(record::kJobPrefix, "", add, stop_));
    return sizes;
  }

  /// Reads all packs and trees, and removes the unusable ones.
  Status VerifyContent() {
    constexpr std::size_t kRequests = 16;
    KINETIC_ASSIGN_OR_RETURN(const auto check,
                             bundle::CheckContent(*context_.store, kRequests, stop_));
    Class found{.name = "verified", .kept = check.objects, .kept_bytes = check.bytes};
    for (const auto& object : check.unusable) {
      report_.warnings.push_back(object.problem);
      report_.removed.push_back(object.info.name);
      found.kept -= 1;
      found.kept_bytes -= std::min(found.kept_bytes, object.info.size_bytes);
      found.removed += 1;
      found.removed_bytes += object.info.size_bytes;
      if (options_.dry_run) continue;
      KINETIC_RETURN_IF_ERROR(context_.store->RemoveIfUnchanged(object.info, stop_));
    }
    report_.classes.push_back(std::move(found));
    return {};
  }

  /// Reads the record, result, value and log of each job, and reports the damaged ones.
  Status VerifyJobs() {
    KINETIC_ASSIGN_OR_RETURN(const auto jobs, record::NewestJobs(*context_.store, 0, stop_));
    for (const JobSummary& job : jobs) {
      for (const auto part : {&Collection::VerifyResult, &Collection::VerifyLog}) {
        const Status verified = (this->*part)(job.id);
        if (verified) continue;
        if (verified.error().code != ErrorCode::kDataLoss) return verified;
        Warn(verified.error(), "to remove the job: kinetic rm --force " + job.id);
      }
    }
    return {};
  }

  Status VerifyResult(const std::string& id) {
    KINETIC_ASSIGN_OR_RETURN(auto stored, ReadResult(context_, id, stop_));
    if (stored) KINETIC_RETURN_IF_ERROR(WithValue(*context_.store, id, *std::move(stored), stop_));
    return {};
  }

  Status VerifyLog(const std::string& id) {
    KINETIC_ASSIGN_OR_RETURN(const record::JobKey key, FindKey(context_, id, stop_));
    const auto skip = [](const LogRecord&) -> Status { return {}; };
    KINETIC_RETURN_IF_ERROR(record::ReadStoredLog(*context_.store, key, 0, skip, stop_));
    return {};
  }

  Status CollectContent() {
    bundle::ContentCollectorOptions content;
    content.dry_run = options_.dry_run;
    content.on_damage = [this](const Error& error) {
      Warn(error,
           "run 'kinetic gc --verify' to remove it, then run the job again to store it again");
    };
    const auto kept = [this](std::stop_token stop) -> Result<std::set<Digest>> {
      auto of_packages = std::async(std::launch::async, [&] {
        return record::ReferencedPackageTrees(*context_.store, kPackageRetention, stop);
      });
      KINETIC_ASSIGN_OR_RETURN(auto references,
                               record::ReferencedTrees(*context_.store, removed_jobs_, stop));
      for (const Error& error : references.damaged) {
        Warn(error, "remove the object or its job; the objects that it refers to are not kept");
      }
      std::set<Digest> trees = std::move(references.trees);
      KINETIC_ASSIGN_OR_RETURN(auto packages, of_packages.get());
      trees.merge(packages);
      return trees;
    };
    KINETIC_ASSIGN_OR_RETURN(
        auto report,
        bundle::CollectContent(*context_.store, &bundle::ReferencesOf, kept, content, stop_));
    for (auto& found : report.classes) report_.classes.push_back(std::move(found));
    for (auto& name : report.removed) report_.removed.push_back(std::move(name));
    return {};
  }

  Result<References> ReadKept() const {
    References kept;
    std::vector<std::optional<record::Record>> records(kept_jobs_.size());
    KINETIC_RETURN_IF_ERROR(
        ParallelFor(std::min(kRecordReads, records.size()), records.size(), stop_,
                    [&](std::size_t i, const std::stop_token& stopping) -> Status {
                      auto read = ReadRecord(*context_.store, kept_jobs_[i], stopping);
                      // ReferencedTrees has reported a damaged one.
                      if (!read && read.error().code == ErrorCode::kDataLoss) return {};
                      if (!read) return Failure(std::move(read).error());
                      records[i] = *std::move(read);
                      return {};
                    }));
    for (const auto& record : records) {
      if (!record) continue;
      kept.manifest_keys.insert(record->manifest_key);
      kept.environment_ids.insert(record->environment_id);
      if (record->environment_image.empty()) continue;
      kept.images.insert(TaggedName(record->environment_image));
    }
    return kept;
  }

  Status CollectLocks(const References& kept) {
    Class found{.name = "locks"};
    const auto is_unused = [&](const store::ObjectInfo& info) {
      const std::string key = info.name.substr(record::kLockPrefix.size());
      return !kept.manifest_keys.contains(key) && now_ - info.lease > kLockRetention;
    };
    KINETIC_ASSIGN_OR_RETURN(const auto locks, ListDocuments(record::kLockPrefix, stop_));
    KINETIC_RETURN_IF_ERROR(RemoveDocuments(locks, is_unused, found));
    report_.classes.push_back(std::move(found));
    return {};
  }

  /// All prefixes are listed concurrently.
  Status CollectUnused() {
    std::vector<std::pair<const UnusedClass*, std::string_view>> listings;
    for (const UnusedClass& unused : kUnused) {
      for (const auto prefix : unused.prefixes) {
        if (!prefix.empty()) listings.emplace_back(&unused, prefix);
      }
    }
    std::vector<std::vector<store::ObjectInfo>> listed(listings.size());
    KINETIC_RETURN_IF_ERROR(ParallelFor(
        listings.size(), listings.size(), stop_,
        [&](std::size_t i, const std::stop_token& stopping) -> Status {
          KINETIC_ASSIGN_OR_RETURN(listed[i], ListDocuments(listings[i].second, stopping));
          return {};
        }));
    for (const UnusedClass& unused : kUnused) {
      Class found{.name = unused.name};
      const auto is_unused = [&](const store::ObjectInfo& info) {
        return now_ - info.lease > unused.retention;
      };
      for (std::size_t i = 0; i < listings.size(); ++i) {
        if (listings[i].first != &unused) continue;
        KINETIC_RETURN_IF_ERROR(RemoveDocuments(listed[i], is_unused, found));
      }
      if (found.kept + found.removed > 0) report_.classes.push_back(std::move(found));
    }
    return {};
  }

  Result<std::vector<store::ObjectInfo>> ListDocuments(std::string_view prefix,
                                                       const std::stop_token& stop) const {
    std::vector<store::ObjectInfo> documents;
    const auto visit = [&](const store::ObjectInfo& info) -> Result<bool> {
      documents.push_back(info);
      return true;
    };
    KINETIC_RETURN_IF_ERROR(context_.store->List(prefix, "", visit, stop));
    return documents;
  }

  Status RemoveDocuments(const std::vector<store::ObjectInfo>& documents,
                         const std::function<bool(const store::ObjectInfo&)>& is_unused,
                         Class& found) {
    std::vector<store::ObjectInfo> unused;
    for (const store::ObjectInfo& info : documents) {
      const bool unneeded = is_unused(info);
      Count(found, info.size_bytes, unneeded);
      if (!unneeded) continue;
      report_.removed.push_back(info.name);
      unused.push_back(info);
    }
    if (!options_.dry_run) KINETIC_RETURN_IF_ERROR(context_.store->RemoveAll(unused, stop_));
    return {};
  }

  Status CollectEnvironments(const References& kept) {
    Class found{.name = "environments"};
    const Path& cache = context_.options.cache_dir;
    KINETIC_ASSIGN_OR_RETURN(const auto environments, env::ListEnvironments(context_.fs, cache));
    const WallTime now = context_.clock.Now();
    for (const auto& environment : environments) {
      bool is_unused = !kept.environment_ids.contains(environment.id) &&
                       now - environment.last_used > kEnvironmentRetention;
      if (is_unused && !options_.dry_run) {
        KINETIC_ASSIGN_OR_RETURN(is_unused, env::EvictEnvironment(context_.fs, cache, environment));
      }
      Count(found, environment.size_bytes, is_unused);
      if (is_unused) report_.removed.push_back(environment.root.native());
    }
    report_.classes.push_back(std::move(found));
    if (options_.dry_run) return {};
    return SweepCaches();
  }

  /// Removes kept data on this machine that no job has used for a long time.
  Status CollectKeptData() {
    const std::string& folder = context_.options.profile.data_cache;
    if (folder.empty()) return {};
    Class found{.name = "kept data"};
    const local::DataCache cache(context_.fs, context_.clock, folder);
    KINETIC_ASSIGN_OR_RETURN(const auto sets, cache.List());
    for (const auto& set : sets) {
      bool is_unused = context_.clock.Now() - set.last_used > kDataRetention;
      if (is_unused && !options_.dry_run) {
        KINETIC_ASSIGN_OR_RETURN(is_unused, cache.Evict(set));
      }
      Count(found, set.size_bytes, is_unused);
      if (is_unused) report_.removed.push_back(set.folder.native());
    }
    report_.classes.push_back(std::move(found));
    return {};
  }

  Status SweepCaches() const {
    const WallTime before = context_.clock.Now() - kCacheRetention;
    for (const std::string_view folder :
         {kStatCacheFolder, kTreeCacheFolder, kLargeFilesFolder, kCheckedModulesFolder,
          kRecentEnvironmentsFolder, kImageChecksFolder}) {
      KINETIC_RETURN_IF_ERROR(
          RemoveOlderThan(context_.fs, context_.options.cache_dir / folder, before));
    }
    return env::SweepEnvironments(ToolOptionsOf(context_), kEnvironmentRetention);
  }

  Context& context_;
  const GarbageOptions& options_;
  std::stop_token stop_;
  WallTime now_;
  std::vector<std::string> kept_jobs_;
  std::map<std::string, std::uint64_t, std::less<>> sizes_;  ///< bytes of each job
  std::set<std::string> removed_jobs_;                       ///< jobs that a dry run would remove
  std::mutex warnings_mutex_;
  GarbageReport report_;
};

}  // namespace

Result<GarbageReport> CollectAllGarbage(Context& context, const GarbageOptions& options,
                                        std::stop_token stop) {
  return Collection(context, options, std::move(stop)).Run();
}

}  // namespace kinetic::job
