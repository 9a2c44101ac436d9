#include "job/gc/garbage.h"

#include "kinetic/try.h"

#include "backend/capabilities.h"
#include "base/concurrency/parallel.h"
#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_removal.h"
#include "job/context.h"
#include "job/find.h"
#include "job/images/records.h"
#include "job/lifecycle/reconcile.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/object_names.h"
#include "record/referenced_trees.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

using Class = GarbageReport::Class;

/// How long a lock that no kept job names is kept after its last use.
constexpr std::chrono::hours kLockRetention{90 * 24};
/// How long a package stored for pod environments is kept after its last use.
constexpr std::chrono::hours kPackageRetention{30 * 24};
/// How long the XLA compilation cache is kept after the last job that used it.
constexpr std::chrono::hours kCompiledRetention{30 * 24};
/// How long the lease of an exited image builder is kept. A running builder renews its lease.
constexpr std::chrono::hours kLeaseRetention{24};
/// How long the leftovers of a job without a record are kept.
constexpr std::chrono::hours kIncompleteJobRetention{24};

/// How long the objects of an interrupted copy are kept.
constexpr std::chrono::hours kCopyRetention{24};

/// How long inputs and logs of image builds are kept for inspection.
constexpr std::chrono::hours kBuildRetention{7 * 24};

/// Objects that are removed individually after a time without use.
struct UnusedClass {
  std::string_view name;
  std::array<std::string_view, 2> prefixes;  ///< empty ones are unused
  std::chrono::hours retention;
};

/// Also contains the documents under packages/, which are listed as referrers.
constexpr std::string_view kPackages = "packages";

constexpr std::array<UnusedClass, 4> kUnused{{
    // Maps packages to trees. The trees themselves are content.
    {kPackages, {record::kEnvironmentPrefix, record::kLayerPrefix}, kPackageRetention},
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
    if (options_.verify) {
      KINETIC_RETURN_IF_ERROR(VerifyContent(context_, options_, report_, stop_));
    }
    KINETIC_RETURN_IF_ERROR(CollectContent());
    if (options_.outputs) KINETIC_RETURN_IF_ERROR(CollectOutputs());
    KINETIC_RETURN_IF_ERROR(CollectLocks());
    KINETIC_RETURN_IF_ERROR(CollectUnused());
    KINETIC_RETURN_IF_ERROR(CollectCopies());
    KINETIC_RETURN_IF_ERROR(CollectImages());
    KINETIC_RETURN_IF_ERROR(
        CollectCaches(context_, options_, references_.environment_ids, report_));
    return std::move(report_);
  }

 private:
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
    report_.classes.push_back({.name = "orphaned cluster objects", .removed = left->size()});
    for (auto& name : *left) report_.removed.push_back(std::move(name));
    return {};
  }

  /// Lists everything except content, in one round trip.
  Status List() {
    auto& store = *context_.store;
    std::vector<std::function<Status(const std::stop_token&)>> parts{
        [&](const std::stop_token& stop) -> Status {
          KINETIC_ASSIGN_OR_RETURN(jobs_, record::NewestJobs(store, 0, stop, &damaged_entries_));
          return {};
        },
        [&](const std::stop_token& stop) -> Status {
          KINETIC_ASSIGN_OR_RETURN(referrers_, record::ListReferrers(store, stop));
          return {};
        },
        [&](const std::stop_token& stop) -> Status {
          if (!options_.dry_run) KINETIC_RETURN_IF_ERROR(store.RemoveLeftovers(stop));
          return {};
        }};
    const auto add = [&](std::string_view prefix) {
      parts.emplace_back([&, &found = documents_[prefix], prefix](const std::stop_token& stop) {
        const auto visit = [&found](const store::ObjectInfo& info) -> Result<bool> {
          found.push_back(info);
          return true;
        };
        return store.List(prefix, "", visit, stop);
      });
    };
    add(record::kLockPrefix);
    for (const UnusedClass& unused : kUnused) {
      for (const auto prefix : unused.prefixes) {
        if (!prefix.empty()) add(prefix);
      }
    }
    return ParallelFor(parts.size(), parts.size(), stop_,
                       [&](std::size_t i, const std::stop_token& stop) { return parts[i](stop); });
  }

  Status CollectJobs() {
    Class found{.name = "jobs"};
    KINETIC_RETURN_IF_ERROR(RestoreEntries());
    for (const JobSummary& indexed : jobs_) {
      const Status collected = CollectJob(indexed, found);
      if (collected) continue;
      if (collected.error().code != ErrorCode::kDataLoss) return collected;
      found.kept += 1;
      Warn(collected.error(), "to remove the job: kinetic rm --force " + indexed.id);
    }
    report_.classes.push_back(std::move(found));
    return {};
  }

  /// Restores lost index entries, without which no command lists the jobs, and adds these jobs.
  Status RestoreEntries() {
    std::set<std::string, std::less<>> indexed;
    for (const JobSummary& job : jobs_) indexed.insert(job.id);
    for (const auto& [id, bytes] : referrers_.bytes_of_job) {
      if (indexed.contains(id) || !CheckJobId(id)) continue;
      const auto record = ReadRecord(*context_.store, id, stop_);
      if (!record && record.error().code != ErrorCode::kDataLoss) return Failure(record.error());
      if (!record) Warn(record.error(), "to remove the job: kinetic rm --force " + id);
      // A young one may just be submitted.
      if (!record || !*record || now_ - (*record)->created < kSubmissionTimeout) continue;
      jobs_.push_back(record::SummaryOf(**record));
      report_.warnings.push_back("job " + id +
                                 " has no entry in the index; 'kinetic gc' restores it");
      if (options_.dry_run) continue;
      KINETIC_RETURN_IF_ERROR(record::CreateIndex(*context_.store, jobs_.back(), stop_));
      report_.warnings.back() = "restored the index entry of job " + id;
    }
    return {};
  }

  Status CollectJob(const JobSummary& indexed, Class& found) {
    KINETIC_ASSIGN_OR_RETURN(const JobSummary job, Refresh(context_, indexed, stop_));
    KINETIC_ASSIGN_OR_RETURN(const bool is_unused, ShouldRemove(job));
    Count(found, referrers_.bytes_of_job[job.id], is_unused);
    if (!is_unused) return {};
    report_.removed.push_back(record::JobFolder(job.id));
    if (!options_.dry_run) {
      KINETIC_RETURN_IF_ERROR(IsTerminal(job.state) ? RemoveJob(context_, job, stop_)
                                                    : RemoveStoredJob(context_, job, stop_));
    }
    referrers_.jobs.erase(job.id);
    std::erase_if(referrers_.checkpoints, [&](const auto& each) { return each.id == job.id; });
    return {};
  }

  Result<bool> HasRecord(std::string_view id) const {
    KINETIC_ASSIGN_OR_RETURN(const auto record,
                             context_.store->Stat(record::RecordName(id), stop_));
    return record.has_value();
  }

  /// Removes damaged index entries that stand for no job.
  Status CollectDamagedEntries() {
    for (const auto& entry : damaged_entries_) {
      if (now_ - entry.lease <= kIncompleteJobRetention) continue;
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
    for (auto& checkpoint : std::exchange(referrers_.checkpoints, {})) {
      const bool is_young = now_ - checkpoint.info.lease <= kIncompleteJobRetention;
      bool is_needed = is_young || referrers_.jobs.contains(checkpoint.id);
      if (!is_needed) {
        KINETIC_ASSIGN_OR_RETURN(is_needed, HasRecord(checkpoint.id));
      }
      if (is_needed) {
        referrers_.checkpoints.push_back(std::move(checkpoint));
        continue;
      }
      report_.removed.push_back(checkpoint.info.name);
      if (options_.dry_run) continue;
      KINETIC_RETURN_IF_ERROR(context_.store->RemoveIfUnchanged(checkpoint.info, stop_));
    }
    return {};
  }

  /// Removes old outputs of jobs that do not exist.
  Status CollectOutputs() {
    Class found{.name = "outputs"};
    std::map<std::string, std::vector<store::ObjectInfo>> outputs;  // by job
    const auto add = [&](const store::ObjectInfo& info) -> Result<bool> {
      const std::string path = info.name.substr(record::kOutputPrefix.size());
      outputs[path.substr(0, path.find('/'))].push_back(info);
      return true;
    };
    KINETIC_RETURN_IF_ERROR(context_.store->List(record::kOutputPrefix, "", add, stop_));
    for (const auto& [id, objects] : outputs) {
      bool is_unused = !referrers_.jobs.contains(id) && !HasRecent(objects);
      if (is_unused && !options_.dry_run) {  // the job may have been submitted since the listing
        KINETIC_ASSIGN_OR_RETURN(const bool has_record, HasRecord(id));
        is_unused = !has_record;
      }
      for (const auto& object : objects) Count(found, object.size_bytes, is_unused);
      if (!is_unused) continue;
      report_.removed.push_back(record::OutputName(id, ""));
      if (!options_.dry_run) KINETIC_RETURN_IF_ERROR(context_.store->RemoveAll(objects, stop_));
    }
    report_.classes.push_back(std::move(found));
    return {};
  }

  /// A job may store outputs shortly before its record is stored.
  bool HasRecent(const std::vector<store::ObjectInfo>& outputs) const {
    return std::ranges::any_of(outputs, [&](const store::ObjectInfo& output) {
      return now_ - output.lease <= kIncompleteJobRetention;
    });
  }

  /// Returns whether to remove a job: by age if it has ended, after one day if it was never
  /// submitted.
  Result<bool> ShouldRemove(const JobSummary& job) const {
    if (!IsTerminal(job.state)) {
      if (std::chrono::abs(now_ - job.created) <= kIncompleteJobRetention) return false;
      KINETIC_ASSIGN_OR_RETURN(const bool has_record, HasRecord(job.id));
      return !has_record;
    }
    if (!options_.jobs_older_than) return false;
    return now_ - job.finished.value_or(job.created) > *options_.jobs_older_than;
  }

  Status VerifyJobs() {
    for (const JobSummary& job : jobs_) {
      if (!referrers_.jobs.contains(job.id)) continue;
      const auto warn = [&](const Error& error) {
        Warn(error, "to remove the job: kinetic rm --force " + job.id);
      };
      KINETIC_RETURN_IF_ERROR(VerifyJob(context_, job.id, warn, stop_));
    }
    return {};
  }

  Status CollectContent() {
    bundle::ContentCollectorOptions content;
    content.dry_run = options_.dry_run;
    content.on_damage = [this](const Error& error) {
      Warn(error,
           "run 'kinetic gc --verify' to remove it, then run the job again to store it again");
    };
    // The content is listed before the jobs are read: docs/adr/0004-garbage-collection.md.
    const auto kept = [this](std::stop_token stop) -> Result<std::set<Digest>> {
      KINETIC_RETURN_IF_ERROR(List());
      KINETIC_RETURN_IF_ERROR(CollectJobs());
      KINETIC_RETURN_IF_ERROR(CollectDamagedEntries());
      KINETIC_RETURN_IF_ERROR(CollectCheckpoints());
      if (options_.verify) KINETIC_RETURN_IF_ERROR(VerifyJobs());
      KINETIC_ASSIGN_OR_RETURN(
          references_,
          record::ReadReferences(*context_.store, referrers_, kPackageRetention, std::move(stop)));
      for (const Error& error : references_.damaged) {
        Warn(error, "remove the object or its job; the objects that it refers to are not kept");
      }
      return references_.trees;
    };
    KINETIC_ASSIGN_OR_RETURN(
        auto report,
        bundle::CollectContent(*context_.store, &bundle::ReferencesOf, kept, content, stop_));
    for (auto& found : report.classes) report_.classes.push_back(std::move(found));
    for (auto& name : report.removed) report_.removed.push_back(std::move(name));
    return {};
  }

  Status CollectLocks() {
    Class found{.name = "locks"};
    const auto is_unused = [&](const store::ObjectInfo& info) {
      const std::string key = info.name.substr(record::kLockPrefix.size());
      return !references_.manifest_keys.contains(key) && now_ - info.lease > kLockRetention;
    };
    KINETIC_RETURN_IF_ERROR(RemoveDocuments(documents_[record::kLockPrefix], is_unused, found));
    report_.classes.push_back(std::move(found));
    return {};
  }

  Status CollectUnused() {
    for (const UnusedClass& unused : kUnused) {
      Class found{.name = std::string(unused.name)};
      const auto is_unused = [&](const store::ObjectInfo& info) {
        return now_ - info.lease > unused.retention;
      };
      if (unused.name == kPackages) {
        KINETIC_RETURN_IF_ERROR(RemoveDocuments(referrers_.packages, is_unused, found));
      }
      for (const auto prefix : unused.prefixes) {
        KINETIC_RETURN_IF_ERROR(RemoveDocuments(documents_[prefix], is_unused, found));
      }
      if (found.kept + found.removed > 0) report_.classes.push_back(std::move(found));
    }
    return {};
  }

  /// Removes what the clients of `kinetic cp` left when they were killed.
  Status CollectCopies() {
    Class found{.name = "copies"};
    const auto is_unused = [&](const store::ObjectInfo& info) {
      return now_ - info.lease > kCopyRetention;
    };
    KINETIC_RETURN_IF_ERROR(RemoveDocuments(referrers_.copies, is_unused, found));
    if (found.kept + found.removed > 0) report_.classes.push_back(std::move(found));
    return {};
  }

  Status CollectImages() {
    std::set<std::string> referenced;
    for (const auto& image : references_.environment_images) referenced.insert(TaggedName(image));
    return job::CollectImages(context_,
                              {.referenced = referenced, .now = now_, .dry_run = options_.dry_run},
                              report_, stop_);
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

  Context& context_;
  const GarbageOptions& options_;
  std::stop_token stop_;
  WallTime now_;
  std::vector<JobSummary> jobs_;
  std::vector<store::ObjectInfo> damaged_entries_;                        ///< of the index
  record::Referrers referrers_;                                           ///< without removed jobs
  std::map<std::string_view, std::vector<store::ObjectInfo>> documents_;  ///< by prefix
  record::References references_;
  std::mutex warnings_mutex_;
  GarbageReport report_;
};

}  // namespace

void Count(GarbageReport::Class& found, std::uint64_t bytes, bool removed) {
  (removed ? found.removed : found.kept) += 1;
  (removed ? found.removed_bytes : found.kept_bytes) += bytes;
}

Result<GarbageReport> CollectAllGarbage(Context& context, const GarbageOptions& options,
                                        std::stop_token stop) {
  return Collection(context, options, std::move(stop)).Run();
}

}  // namespace kinetic::job
