#include "kinetic/try.h"

#include "bundle/read/tree_loader.h"
#include "bundle/source/file_reader.h"
#include "bundle/source/walk.h"
#include "job/bundle/job_bundle.h"
#include "job/find.h"
#include "job/summary.h"

#include <string>
#include <utility>

namespace kinetic::job {
namespace {

Result<LocalFiles> LoadBundle(const Context& context, const JobSpec& spec,
                              const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto root, FindBundleRoot(context, spec));
  return WalkBundle(context, spec, root, stop);
}

Result<bool> Differs(const Context& context, const LocalFiles& files,
                     const bundle::SourceEntry& now, const bundle::TreeEntry& before) {
  if (now.type != before.type || now.executable != before.executable) return true;
  if (now.type == BundleEntry::Type::kSymlink) return now.link_target != before.link_target;
  if (now.type != BundleEntry::Type::kFile) return false;
  if (now.status.size_bytes != before.size_bytes) return true;
  auto digest = files.cache.Find(now.path, now.status);
  if (!digest) {
    std::string ignored;
    KINETIC_ASSIGN_OR_RETURN(const auto read,
                             bundle::HashFile(context.fs, files.source, now, ignored, {}));
    digest = read.digest;
  }
  return *digest != before.content;
}

/// Both lists are sorted by path.
Result<std::vector<BundleChange>> Changes(const Context& context, const LocalFiles& files,
                                          const bundle::Tree& before) {
  using Kind = BundleChange::Kind;
  std::vector<BundleChange> changes;
  auto old = before.entries.begin();
  for (const auto& now : files.source.entries) {
    for (; old != before.entries.end() && old->path < now.path; ++old) {
      changes.push_back({Kind::kRemoved, old->path, 0});
    }
    if (old == before.entries.end() || old->path != now.path) {
      changes.push_back({Kind::kAdded, now.path, now.status.size_bytes});
      continue;
    }
    KINETIC_ASSIGN_OR_RETURN(const bool differs, Differs(context, files, now, *old));
    if (differs) changes.push_back({Kind::kModified, now.path, now.status.size_bytes});
    ++old;
  }
  for (; old != before.entries.end(); ++old) {
    changes.push_back({Kind::kRemoved, old->path, 0});
  }
  return changes;
}

Result<record::Record> Earlier(Context& context, const JobSpec& spec, std::string_view since,
                               const std::stop_token& stop) {
  std::optional<record::Record> record;
  if (since.empty()) {
    KINETIC_ASSIGN_OR_RETURN(record, FindNewestJob(context, spec.name, stop));
    if (!record) {
      return Fail(ErrorCode::kNotFound, "there is no job named " + spec.name + " to compare with",
                  "'kinetic bundle ls' lists the files to upload");
    }
  } else {
    KINETIC_ASSIGN_OR_RETURN(const JobSummary job, FindJob(context, since, stop));
    KINETIC_ASSIGN_OR_RETURN(record, ReadRecord(*context.store, job.id, stop));
    if (!record) return Fail(ErrorCode::kNotFound, "job " + job.id + " has been removed");
  }
  return *std::move(record);
}

}  // namespace

Result<BundleListing> ListBundle(Context& context, const JobSpec& spec, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(LocalFiles files, LoadBundle(context, spec, stop));
  return bundle::ToListing(std::move(files.source));
}

Result<BundleDifference> CompareBundle(Context& context, const JobSpec& spec,
                                       std::string_view since, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto earlier, Earlier(context, spec, since, stop));
  KINETIC_ASSIGN_OR_RETURN(LocalFiles files, LoadBundle(context, spec, stop));
  KINETIC_ASSIGN_OR_RETURN(const Digest now, HashFiles(context, files, stop));
  BundleDifference difference;
  difference.since = earlier.id;
  difference.old_digest = earlier.tree.Hex();
  difference.new_digest = now.Hex();
  if (now == earlier.tree) return difference;
  KINETIC_ASSIGN_OR_RETURN(const auto before,
                           bundle::LoadTree(*context.store, earlier.tree, std::move(stop)));
  KINETIC_ASSIGN_OR_RETURN(difference.changes, Changes(context, files, before));
  return difference;
}

}  // namespace kinetic::job
