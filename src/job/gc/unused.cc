#include "job/gc/unused.h"

#include "kinetic/try.h"

#include "bundle/gc/content_lease.h"
#include "job/environment/image_records.h"
#include "job/gc/garbage.h"
#include "record/object_names.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kinetic::job {
namespace {

/// How long a lock that no kept job names is kept after its last use.
constexpr std::chrono::hours kLockRetention{90 * 24};
/// How long the XLA compilation cache is kept after the last job that used it.
constexpr std::chrono::hours kCompiledRetention{30 * 24};
/// How long downloads are kept after the last job that used them.
constexpr std::chrono::hours kDownloadRetention{30 * 24};
/// How long the lease of an exited image builder is kept. A running builder renews its lease.
constexpr std::chrono::hours kLeaseRetention{24};
/// How long the objects of an interrupted copy are kept.
constexpr std::chrono::hours kCopyRetention{24};
/// How long inputs and logs of image builds are kept for inspection.
constexpr std::chrono::hours kBuildRetention{7 * 24};

/// Also contains the documents under packages/, which are listed as referrers.
constexpr std::string_view kPackages = "packages";

/// A job may store outputs shortly before its record is stored.
bool HasRecent(const Collection& gc, const std::vector<store::ObjectInfo>& outputs) {
  return std::ranges::any_of(outputs, [&](const store::ObjectInfo& output) {
    return !gc.IsOlder(output, kIncompleteJobRetention);
  });
}

Status RemoveDocuments(Collection& gc, const std::vector<store::ObjectInfo>& documents,
                       const std::function<bool(const store::ObjectInfo&)>& is_unused,
                       GarbageReport::Class& found) {
  std::vector<store::ObjectInfo> unused;
  for (const store::ObjectInfo& info : documents) {
    const bool unneeded = is_unused(info);
    Count(found, info.size_bytes, unneeded);
    if (!unneeded) continue;
    gc.report.removed.push_back(info.name);
    unused.push_back(info);
  }
  if (!gc.options.dry_run) KINETIC_RETURN_IF_ERROR(gc.context.store->RemoveAll(unused, gc.stop));
  return {};
}

}  // namespace

const std::array<UnusedClass, 5> kUnused{{
    // Maps packages to trees. The trees themselves are content.
    {kPackages, {record::kEnvironmentPrefix, record::kLayerPrefix}, kPackageRetention},
    // Inputs and logs of build services. A build takes at most one day.
    {"builds", {record::kBuildPrefix}, kBuildRetention, true},
    {"leases", {record::kImageLeasePrefix}, kLeaseRetention, true},
    {"compiled", {record::kCompiledPrefix}, kCompiledRetention},
    {"downloads", {record::kDownloadPrefix}, kDownloadRetention},
}};

Status CollectOutputs(Collection& gc) {
  GarbageReport::Class found{.name = "outputs",
                             .why_kept = "their job exists, or stored in the last day"};
  std::map<std::string, std::vector<store::ObjectInfo>> outputs;  // by job
  const auto add = [&](const store::ObjectInfo& info) -> Result<bool> {
    const std::string path = info.name.substr(record::kOutputPrefix.size());
    outputs[path.substr(0, path.find('/'))].push_back(info);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(gc.context.store->List(record::kOutputPrefix, "", add, gc.stop));
  for (const auto& [id, objects] : outputs) {
    bool is_unused = !gc.referrers.jobs.contains(id) && !HasRecent(gc, objects);
    if (is_unused && !gc.options.dry_run) {  // the job may have been submitted since the listing
      KINETIC_ASSIGN_OR_RETURN(const bool has_record, gc.HasRecord(id));
      is_unused = !has_record;
    }
    for (const auto& object : objects) Count(found, object.size_bytes, is_unused);
    if (!is_unused) continue;
    gc.report.removed.push_back(record::OutputName(id, ""));
    if (!gc.options.dry_run) KINETIC_RETURN_IF_ERROR(gc.context.store->RemoveAll(objects, gc.stop));
  }
  gc.report.classes.push_back(std::move(found));
  return {};
}

Status CollectLocks(Collection& gc) {
  const auto retention = RetentionOf(gc.options, kLockRetention);
  GarbageReport::Class found{.name = "locks", .why_kept = WhyKept("a job", retention)};
  const auto is_unused = [&](const store::ObjectInfo& info) {
    const std::string key = info.name.substr(record::kLockPrefix.size());
    return !gc.references.manifest_keys.contains(key) && gc.IsOlder(info, retention);
  };
  KINETIC_RETURN_IF_ERROR(RemoveDocuments(gc, gc.documents[record::kLockPrefix], is_unused, found));
  gc.report.classes.push_back(std::move(found));
  return {};
}

Status CollectArrays(Collection& gc) {
  GarbageReport::Class found{
      .name = "arrays",
      .why_kept = WhyKept("a job", RetentionOf(gc.options, bundle::kCollectAfter))};
  const auto is_unused = [&](const store::ObjectInfo& info) {
    const auto digest = Digest::FromHex(info.name.substr(record::kArrayPrefix.size()));
    return !(digest && gc.references.arrays.contains(*digest)) &&
           gc.IsOlder(info, RetentionOf(gc.options, bundle::kCollectAfter));
  };
  KINETIC_RETURN_IF_ERROR(
      RemoveDocuments(gc, gc.documents[record::kArrayPrefix], is_unused, found));
  if (found.kept + found.removed > 0) gc.report.classes.push_back(std::move(found));
  return {};
}

Status CollectUnused(Collection& gc) {
  for (const UnusedClass& unused : kUnused) {
    const auto retention =
        unused.may_be_active ? unused.retention : RetentionOf(gc.options, unused.retention);
    GarbageReport::Class found{.name = std::string(unused.name),
                               .why_kept = WhyKept("", retention)};
    const auto is_unused = [&](const store::ObjectInfo& info) {
      return gc.IsOlder(info, retention);
    };
    if (unused.name == kPackages) {
      KINETIC_RETURN_IF_ERROR(RemoveDocuments(gc, gc.referrers.packages, is_unused, found));
    }
    for (const auto prefix : unused.prefixes) {
      KINETIC_RETURN_IF_ERROR(RemoveDocuments(gc, gc.documents[prefix], is_unused, found));
    }
    if (found.kept + found.removed > 0) gc.report.classes.push_back(std::move(found));
  }
  return {};
}

Status CollectCopies(Collection& gc) {
  GarbageReport::Class found{.name = "copies", .why_kept = WhyKept("", kCopyRetention)};
  const auto is_unused = [&](const store::ObjectInfo& info) {
    return gc.IsOlder(info, kCopyRetention);
  };
  KINETIC_RETURN_IF_ERROR(RemoveDocuments(gc, gc.referrers.copies, is_unused, found));
  if (found.kept + found.removed > 0) gc.report.classes.push_back(std::move(found));
  return {};
}

Status CollectImages(Collection& gc) {
  std::set<std::string> referenced;
  for (const auto& image : gc.references.environment_images) referenced.insert(TaggedName(image));
  return CollectImages(gc.context,
                       {.referenced = referenced, .now = gc.now, .dry_run = gc.options.dry_run},
                       gc.report, gc.stop);
}

}  // namespace kinetic::job
