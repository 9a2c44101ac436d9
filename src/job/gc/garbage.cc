#include "job/gc/garbage.h"

#include "kinetic/try.h"

#include "backend/capabilities.h"
#include "base/concurrency/parallel.h"
#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_removal.h"
#include "job/gc/collection.h"
#include "job/gc/damaged.h"
#include "job/gc/jobs.h"
#include "job/gc/programs.h"
#include "job/gc/unused.h"
#include "job/lifecycle/reconcile.h"
#include "record/object_names.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kinetic::job {
namespace {

/// A client that may collect garbage in the store may lack permissions on the target.
Status CollectOrphans(Collection& gc) {
  auto left = gc.context.target->RemoveOrphans(gc.options.dry_run, gc.stop);
  if (!left && left.error().code == ErrorCode::kCancelled) return Failure(left.error());
  if (!left) {
    const bool by_right = left.error().code == ErrorCode::kPermissionDenied;
    gc.context.Log(by_right ? LogLevel::kInfo : LogLevel::kWarning,
                   "cannot remove orphaned objects: " + left.error().message);
    return {};
  }
  if (left->empty()) return {};
  gc.report.classes.push_back({.name = "orphaned cluster objects", .removed = left->size()});
  for (auto& name : *left) gc.report.removed.push_back(std::move(name));
  return {};
}

/// Lists everything except content, in one round trip.
Status List(Collection& gc) {
  auto& store = *gc.context.store;
  std::vector<std::function<Status(const std::stop_token&)>> parts{
      [&](const std::stop_token& stop) -> Status {
        KINETIC_ASSIGN_OR_RETURN(gc.jobs, record::NewestJobs(store, 0, stop, &gc.index));
        return {};
      },
      [&](const std::stop_token& stop) -> Status {
        KINETIC_ASSIGN_OR_RETURN(gc.referrers, record::ListReferrers(store, stop));
        return {};
      },
      [&](const std::stop_token& stop) -> Status {
        if (!gc.options.dry_run) KINETIC_RETURN_IF_ERROR(store.RemoveLeftovers(stop));
        return {};
      }};
  const auto add = [&](std::string_view prefix) {
    parts.emplace_back([&, &found = gc.documents[prefix], prefix](const std::stop_token& stop) {
      const auto visit = [&](const store::ObjectInfo& info) -> Result<bool> {
        const std::lock_guard lock(gc.mutex);
        (info.damage.empty() ? found : gc.damaged).push_back(info);
        return true;
      };
      return store.List(prefix, "", visit, stop);
    });
  };
  add(record::kLockPrefix);
  add(record::kArrayPrefix);
  for (const UnusedClass& unused : kUnused) {
    for (const auto prefix : unused.prefixes) {
      if (!prefix.empty()) add(prefix);
    }
  }
  return ParallelFor(parts.size(), parts.size(), gc.stop,
                     [&](std::size_t i, const std::stop_token& stop) { return parts[i](stop); });
}

Status CollectContent(Collection& gc) {
  bundle::ContentCollectorOptions content;
  content.dry_run = gc.options.dry_run;
  content.min_age = RetentionOf(gc.options, content.min_age);
  content.on_damage = [&gc](const Error& error) {
    if (gc.options.verify) return;  // VerifyContent has reported it
    gc.Warn(error, "to replace it, run 'kinetic gc --verify', then run the job again");
  };
  // The content is listed before the jobs are read: docs/adr/0004-garbage-collection.md.
  const auto kept = [&gc](std::stop_token stop) -> Result<std::set<Digest>> {
    KINETIC_RETURN_IF_ERROR(List(gc));
    KINETIC_RETURN_IF_ERROR(CollectDamaged(gc));
    // Objects that cannot be listed or read may reference any content.
    if (!gc.referrers.is_complete) return HiddenReferences(gc);
    KINETIC_RETURN_IF_ERROR(CollectJobs(gc));
    KINETIC_RETURN_IF_ERROR(CollectDamagedEntries(gc));
    KINETIC_RETURN_IF_ERROR(CollectCheckpoints(gc));
    if (gc.options.verify) KINETIC_RETURN_IF_ERROR(VerifyJobs(gc));
    KINETIC_ASSIGN_OR_RETURN(
        gc.references,
        record::ReadReferences(*gc.context.store, gc.referrers,
                               RetentionOf(gc.options, kPackageRetention), std::move(stop)));
    for (const Error& error : gc.references.damaged) {
      gc.Warn(
          error,
          RemovalOf(error.message).value_or("remove it; objects that it refers to are not kept"));
    }
    return gc.references.trees;
  };
  KINETIC_ASSIGN_OR_RETURN(
      auto report,
      bundle::CollectContent(*gc.context.store, &bundle::ReferencesOf, kept, content, gc.stop));
  for (auto& found : report.classes) {
    found.why_kept = WhyKept("a job", content.min_age);
    gc.report.classes.push_back(std::move(found));
  }
  for (auto& name : report.removed) gc.report.removed.push_back(std::move(name));
  return {};
}

/// Removes documents other than those of jobs.
Status CollectDocuments(Collection& gc) {
  KINETIC_RETURN_IF_ERROR(CollectLocks(gc));
  KINETIC_RETURN_IF_ERROR(CollectArrays(gc));
  KINETIC_RETURN_IF_ERROR(CollectUnused(gc));
  return CollectCopies(gc);
}

}  // namespace

Result<GarbageReport> CollectAllGarbage(Context& context, const GarbageOptions& options,
                                        std::stop_token stop) {
  Collection gc{.context = context, .options = options, .stop = std::move(stop)};
  auto now = store::AgreedNow(*context.store, context.clock, gc.stop);
  // Reading the exact time stores an object.
  const bool is_denied = !now && now.error().code == ErrorCode::kPermissionDenied;
  if (is_denied && options.dry_run) now = context.store->Now(gc.stop);
  KINETIC_ASSIGN_OR_RETURN(gc.now, std::move(now));
  KINETIC_RETURN_IF_ERROR(ReconcileAll(context, gc.stop));
  KINETIC_RETURN_IF_ERROR(CollectOrphans(gc));
  if (options.verify) {
    KINETIC_RETURN_IF_ERROR(VerifyContent(context, options, gc.report, gc.stop));
  }
  KINETIC_RETURN_IF_ERROR(CollectContent(gc));
  if (options.outputs) KINETIC_RETURN_IF_ERROR(CollectOutputs(gc));
  KINETIC_RETURN_IF_ERROR(CollectDocuments(gc));
  KINETIC_RETURN_IF_ERROR(CollectImages(gc));
  KINETIC_RETURN_IF_ERROR(
      CollectCaches(context, options, gc.references.environment_ids, gc.report));
  KINETIC_RETURN_IF_ERROR(CollectPrograms(gc));
  return std::move(gc.report);
}

}  // namespace kinetic::job
