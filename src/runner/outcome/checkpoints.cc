#include "runner/outcome/checkpoints.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "bundle/read/unpacker.h"
#include "bundle/source/walk.h"
#include "bundle/write/bundle_writer.h"
#include "bundle/write/stat_cache.h"
#include "record/object_names.h"
#include "runner/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kKept = 2;
constexpr int kStoreTries = 3;
constexpr std::size_t kNetworkThreads = 16;

bool IsSame(const bundle::SourceEntry& a, const bundle::SourceEntry& b) {
  const FileStatus& left = a.status;
  const FileStatus& right = b.status;
  return a.path == b.path && a.type == b.type && a.executable == b.executable &&
         a.link_target == b.link_target && left.size_bytes == right.size_bytes &&
         left.mtime_ns == right.mtime_ns && left.ctime_ns == right.ctime_ns &&
         left.inode == right.inode;
}

bool IsSame(const bundle::SourceTree& a, const bundle::SourceTree& b) {
  return std::ranges::equal(a.entries, b.entries, [](const auto& left, const auto& right) {
    return IsSame(left, right);
  });
}

bool IsUnreadable(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kDataLoss;
}

}  // namespace

Checkpoints::Checkpoints(JobStore::Dependencies deps, Locations locations)
    : deps_(deps), locations_(std::move(locations)) {}

Status Checkpoints::Open(std::optional<std::uint32_t> user) {
  KINETIC_ASSIGN_OR_RETURN(
      files_, local::ProgramFiles::Open(deps_.fs, locations_.folder.parent_path(), user));
  return {};
}

/// Returns nullopt if the folder is being written.
Result<std::optional<bundle::SourceTree>> Checkpoints::Scan(const std::stop_token& stop) {
  if (!files_) KINETIC_RETURN_IF_ERROR(Open(std::nullopt));
  FileSystem& fs = files_->fs();
  if (fs.Lstat(locations_.folder / kIncompleteMarker)) return std::nullopt;
  bundle::WalkOptions options;
  options.default_excludes = false;
  options.ignore_files = false;
  auto walked = bundle::Walk(
      fs, {.path = locations_.folder, .reason = "checkpoints", .repository = {}}, options, stop);
  if (!walked) return Failure(std::move(walked).error());
  SkipUnreadable(*walked);
  return *std::move(walked);
}

void Checkpoints::SkipUnreadable(bundle::SourceTree& tree) {
  std::erase_if(tree.entries, [&](const bundle::SourceEntry& entry) {
    if (entry.type != BundleEntry::Type::kFile || files_->MayRead(entry.status)) return false;
    if (skipped_.insert(entry.path).second) {
      LogDiagnostic("not saved in a checkpoint: " + Printable(entry.path) +
                    ": belongs to another user and cannot be read");
    }
    return true;
  });
}

Result<std::string> Checkpoints::RestoreFrom(const record::ListedCheckpoint& listed,
                                             const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const record::Checkpoint checkpoint,
                           record::ReadCheckpoint(deps_.store, listed, stop));
  std::string description =
      fmt::format("checkpoint {} of attempt {}: {}", checkpoint.sequence, checkpoint.attempt,
                  FormatFiles(checkpoint.files, checkpoint.bytes));
  if (saved_tree_ == checkpoint.tree) {
    KINETIC_ASSIGN_OR_RETURN(const auto now, Scan(stop));
    if (now && IsSame(*now, saved_)) return description;
  }
  KINETIC_RETURN_IF_ERROR(RemoveTree(deps_.fs, locations_.folder));
  KINETIC_RETURN_IF_ERROR(MakeDirectories(deps_.fs, locations_.folder, 0700));
  bundle::UnpackOptions options;
  options.threads = kNetworkThreads;
  const auto unpacked =
      bundle::Unpack(deps_.store, {deps_.fs, locations_.folder}, checkpoint.tree, options, stop);
  if (!unpacked) return Failure(unpacked.error());
  KINETIC_ASSIGN_OR_RETURN(auto now, Scan(stop));
  if (now) saved_ = *std::move(now);
  saved_tree_ = checkpoint.tree;
  return description;
}

Result<std::optional<std::string>> Checkpoints::Restore(std::uint32_t attempt,
                                                        std::stop_token stop) {
  attempt_ = attempt;
  seen_.reset();
  KINETIC_ASSIGN_OR_RETURN(kept_, record::ListCheckpoints(deps_.store, locations_.id, stop));
  if (kept_.empty()) {
    KINETIC_RETURN_IF_ERROR(RemoveTree(deps_.fs, locations_.folder));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(deps_.fs, locations_.folder, 0700));
    return std::nullopt;
  }
  std::optional<Error> unreadable;
  for (std::size_t i = kept_.size(); i-- > 0;) {
    auto restored = RestoreFrom(kept_[i], stop);
    if (restored) return *std::move(restored);
    LogFailure("restoring " + kept_[i].info.name, Failure(restored.error()));
    if (!IsUnreadable(restored.error())) return Failure(std::move(restored).error());
    if (!unreadable) unreadable = std::move(restored).error();
  }
  return Failure(std::move(*unreadable).Context("cannot restore the job's checkpoint"));
}

Status Checkpoints::Resume(std::uint32_t attempt, const std::stop_token& stop) {
  attempt_ = attempt;
  KINETIC_ASSIGN_OR_RETURN(kept_, record::ListCheckpoints(deps_.store, locations_.id, stop));
  return {};
}

Status Checkpoints::Poll(std::stop_token stop) { return SaveIfQuiet(kCheckpointQuiet, stop); }

Status Checkpoints::Finish(bool killed, std::stop_token stop) {
  return SaveIfQuiet(killed ? kCheckpointQuiet : std::chrono::seconds(0), stop);
}

Status Checkpoints::SaveIfQuiet(std::chrono::seconds quiet, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto now, Scan(stop));
  if (!now || !seen_ || !IsSame(*now, *seen_)) seen_since_ = deps_.clock.Steady();
  seen_ = std::move(now);
  if (!seen_ || seen_->entries.empty() || IsSame(*seen_, saved_)) return {};
  if (deps_.clock.Steady() - seen_since_ < quiet) return {};
  return Save(*seen_, stop);
}

Status Checkpoints::Save(const bundle::SourceTree& source, const std::stop_token& stop) {
  for (int i = 0; i < kStoreTries; ++i) {
    bundle::ContentLease lease(deps_.store, &bundle::ReferencesOf);
    KINETIC_ASSIGN_OR_RETURN(
        auto cache, bundle::StatCache::Load(files_->fs(), locations_.cache, deps_.clock.Now()));
    bundle::SourceTree read = source;
    auto written = bundle::WriteBundle(deps_.store, lease, {files_->fs(), read, cache}, {}, stop);
    // The folder is changing, so there is no complete state to save.
    if (!written && written.error().code == ErrorCode::kAborted) return {};
    if (!written) return Failure(std::move(written).error());
    LogFailure("saving the stat cache of checkpoints", cache.Save(files_->fs()));
    KINETIC_ASSIGN_OR_RETURN(const bool ready, lease.RenewIfStale(stop));
    if (!ready) continue;
    KINETIC_ASSIGN_OR_RETURN(const auto now, Scan(stop));
    if (!now || !IsSame(*now, source)) return {};
    if (saved_tree_ != written->tree) {
      KINETIC_ASSIGN_OR_RETURN(const bool written_manifest,
                               WriteManifest(source, written->tree, stop));
      if (!written_manifest) return {};
    }
    KINETIC_ASSIGN_OR_RETURN(const bool still, lease.Confirm(stop));
    if (!still) continue;
    saved_ = source;
    saved_tree_ = written->tree;
    return RemoveOld(stop);
  }
  return Fail(ErrorCode::kAborted, "its content expired while it was written");
}

/// Returns false if a newer attempt has replaced this one.
Result<bool> Checkpoints::WriteManifest(const bundle::SourceTree& source, const Digest& tree,
                                        const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto newer,
                           deps_.store.Stat(record::ClaimName(locations_.id, attempt_ + 1), stop));
  if (newer) return false;
  record::Checkpoint checkpoint{.id = locations_.id,
                                .sequence = 1,
                                .attempt = attempt_,
                                .created = deps_.clock.Now(),
                                .tree = tree};
  for (const auto& entry : source.entries) {
    if (entry.type != BundleEntry::Type::kFile) continue;
    ++checkpoint.files;
    checkpoint.bytes += entry.status.size_bytes;
  }
  for (int i = 0; i < kStoreTries; ++i) {
    if (!kept_.empty()) checkpoint.sequence = kept_.back().sequence + 1;
    KINETIC_ASSIGN_OR_RETURN(const bool stored, Put(checkpoint, stop));
    if (!stored) continue;
    LogDiagnostic(fmt::format("saved checkpoint {}: {}", checkpoint.sequence,
                              FormatFiles(checkpoint.files, checkpoint.bytes)));
    return true;
  }
  return Fail(ErrorCode::kAborted, "another process is also saving checkpoints of this job");
}

/// Returns false if another checkpoint has that number.
Result<bool> Checkpoints::Put(const record::Checkpoint& checkpoint, const std::stop_token& stop) {
  record::ListedCheckpoint listed{checkpoint.id, checkpoint.sequence, {}};
  const std::string name = record::CheckpointName(checkpoint.id, checkpoint.sequence);
  KINETIC_ASSIGN_OR_RETURN(auto put, store::PutBytes(deps_.store, name, record::ToJson(checkpoint),
                                                     store::Precondition::Absent(), stop));
  if (put) {
    listed.info = *std::move(put);
    kept_.push_back(std::move(listed));
    return true;
  }
  KINETIC_ASSIGN_OR_RETURN(auto existing, deps_.store.Stat(name, stop));
  if (!existing) return false;
  listed.info = *std::move(existing);
  kept_.push_back(listed);
  KINETIC_ASSIGN_OR_RETURN(const auto found, record::ReadCheckpoint(deps_.store, listed, stop));
  // An earlier request of ours whose response was lost wrote the same.
  return found.attempt == checkpoint.attempt && found.tree == checkpoint.tree;
}

Status Checkpoints::RemoveOld(const std::stop_token& stop) {
  while (kept_.size() > kKept) {
    KINETIC_RETURN_IF_ERROR(deps_.store.RemoveIfUnchanged(kept_.front().info, stop));
    kept_.erase(kept_.begin());
  }
  return {};
}

}  // namespace kinetic::runner
