#include "bundle/write/bundle_writer.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "bundle/write/content_writer.h"
#include "bundle/write/frame_builder.h"
#include "bundle/write/packer.h"
#include "bundle/write/previous_tree.h"
#include "bundle/write/stat_cache.h"
#include "bundle/write/tree_builder.h"

#include <optional>
#include <utility>
#include <vector>

namespace kinetic::bundle {
namespace {

/// Up to this size, unknown files are read first and kept in memory, because the tree may exist.
constexpr std::uint64_t kProbeBytes = 8 << 20;
/// Smaller bundles are stored without a base, so that one request reads them.
constexpr std::uint64_t kSelfContainedBytes = 64 << 10;

std::vector<const std::vector<Extent>*> ExtentsOf(const Tree& tree) {
  std::vector<const std::vector<Extent>*> all;
  all.reserve(tree.entries.size());
  for (const auto& entry : tree.entries) all.push_back(&entry.extents);
  return all;
}

/// One attempt at writing a bundle.
class Writer {
 public:
  Writer(store::Store& store, ContentLease& lease, const Workspace& workspace,
         const WriteOptions& options, std::vector<std::string>& removed, std::stop_token stop)
      : store_(store),
        lease_(lease),
        workspace_(workspace),
        options_(options),
        removed_(removed),
        stop_(std::move(stop)) {}

  /// Returns nullopt if the caller must start over without the previous tree.
  Result<std::optional<WriteReport>> Run(bool use_previous) {
    if (const auto unchanged = FindUnchangedTree(workspace_)) {
      report_.tree = *unchanged;
      KINETIC_RETURN_IF_ERROR(FindExisting(stop_));
      if (existed_) return MakeReport(true);
    }
    KINETIC_ASSIGN_OR_RETURN(plan_, MakeHashPlan(workspace_));
    KINETIC_RETURN_IF_ERROR(ComputeTreeDigest());
    if (use_previous) FindCandidates();
    KINETIC_ASSIGN_OR_RETURN(const bool there, FindInStore());
    if (there) return MakeReport(true);
    if (previous_ && ShouldRepack()) previous_.reset();
    KINETIC_ASSIGN_OR_RETURN(std::optional<Tree> tree, StoreContent());
    if (existed_) return MakeReport(true);
    if (!tree) return std::nullopt;
    if (previous_ && IsFragmented(ExtentsOf(*tree), tree->packs, 0, options_.pack_bytes)) {
      return std::nullopt;
    }
    return StoreTree(*tree);
  }

 private:
  const PreviousTree* previous() const { return previous_ ? &*previous_ : nullptr; }

  /// Computes the tree's digest, unless too many files must be read.
  Status ComputeTreeDigest() {
    if (plan_.unknown_large || plan_.unknown_bytes > kProbeBytes) return {};
    KINETIC_RETURN_IF_ERROR(HashUnknownFiles(workspace_, options_.threads, true, plan_, stop_));
    KINETIC_RETURN_IF_ERROR(plan_.DropRemoved(workspace_, removed_));
    digest_known_ = true;
    report_.tree = TreeDigest(plan_.entries);
    return {};
  }

  /// Collects the trees that this one can be based on, the best first.
  void FindCandidates() {
    if (plan_.content_bytes <= kSelfContainedBytes) return;
    for (const auto& tree : {workspace_.cache.last_tree(), workspace_.cache.previous_tree()}) {
      if (tree) candidates_.push_back(*tree);
    }
  }

  /// Returns whether the tree is stored. Otherwise loads the previous tree.
  Result<bool> FindInStore() {
    const bool unchanged =
        digest_known_ && !candidates_.empty() && candidates_.front() == report_.tree;
    // Cached trees are confirmed concurrently. Others are read only if they are needed.
    if (digest_known_ && !unchanged && lease_.trees() != nullptr) {
      constexpr std::size_t kTasks = 2;
      const auto find = [&](std::size_t part, const std::stop_token& stop) {
        return part == 0 ? FindExisting(stop) : LoadPrevious(stop);
      };
      KINETIC_RETURN_IF_ERROR(ParallelFor(kTasks, kTasks, stop_, find));
      return existed_;
    }
    if (digest_known_) KINETIC_RETURN_IF_ERROR(FindExisting(stop_));
    if (!existed_) KINETIC_RETURN_IF_ERROR(LoadPrevious(stop_));
    return existed_;
  }

  Status FindExisting(const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(existed_, lease_.ReuseTree(report_.tree, stop));
    return {};
  }

  Status LoadPrevious(const std::stop_token& stop) {
    for (const Digest& candidate : candidates_) {
      if (digest_known_ && candidate == report_.tree) continue;
      KINETIC_ASSIGN_OR_RETURN(previous_, PreviousTree::Load(store_, lease_, candidate, stop));
      if (!previous_) continue;
      previous_digest_ = candidate;
      break;
    }
    return {};
  }

  /// Returns whether too little of the previous tree's packs is in this tree.
  bool ShouldRepack() const {
    if (!plan_.AllKnown()) return false;
    std::uint64_t new_bytes = 0;
    std::vector<const std::vector<Extent>*> stored;
    stored.reserve(plan_.entries.size());
    for (const auto& entry : plan_.entries) {
      if (const auto* extents = previous_->FindFile(entry.content)) {
        stored.push_back(extents);
      } else {
        new_bytes += entry.size_bytes;
      }
    }
    return IsFragmented(stored, previous_->tree().packs, new_bytes, options_.pack_bytes);
  }

  Result<std::optional<Tree>> StoreContent() {
    Packer packer(lease_, options_, previous_.has_value(), stop_);
    FrameBuilder frame_builder(packer);
    ContentWriter content(workspace_, previous(), plan_, frame_builder);
    KINETIC_RETURN_IF_ERROR(content.Write(options_.threads, stop_));
    KINETIC_RETURN_IF_ERROR(plan_.DropRemoved(workspace_, removed_));
    TreeBuilder builder(previous(), content, frame_builder, plan_.entries);
    KINETIC_RETURN_IF_ERROR(builder.CarryOverInline());
    KINETIC_ASSIGN_OR_RETURN(StoredContent stored_content, FinishContent(frame_builder));
    report_.delta = builder.is_delta();
    report_.objects_stored = stored_content.stored_packs;
    report_.bytes_stored = stored_content.stored_bytes;
    return builder.Build(std::move(stored_content));
  }

  /// Waits for the last packs. If the digest was unknown before, or files have changed since they
  /// were hashed, checks meanwhile whether the tree exists.
  Result<StoredContent> FinishContent(FrameBuilder& frame_builder) {
    const Digest read = TreeDigest(plan_.entries);
    if (digest_known_ && read == report_.tree) return frame_builder.Finish();
    report_.tree = read;
    StoredContent stored_content;
    constexpr std::size_t kTasks = 2;
    const auto finish = [&](std::size_t part, const std::stop_token& stop) -> Status {
      if (part == 0) return FindExisting(stop);
      KINETIC_ASSIGN_OR_RETURN(stored_content, frame_builder.Finish());
      return {};
    };
    KINETIC_RETURN_IF_ERROR(ParallelFor(kTasks, kTasks, stop_, finish));
    return stored_content;
  }

  Result<std::optional<WriteReport>> StoreTree(const Tree& tree) {
    if (tree.base == report_.tree) return std::nullopt;  // it was removed a moment ago
    KINETIC_ASSIGN_OR_RETURN(const std::string object,
                             EncodeTree(tree, tree.base ? &previous_->base() : nullptr));
    if (auto put = lease_.PutTree(report_.tree, object, stop_); !put) {
      if (put.error().code == ErrorCode::kAborted) return std::nullopt;
      return Failure(std::move(put).error());
    }
    ++report_.objects_stored;
    report_.bytes_stored += object.size();
    return MakeReport(false);
  }

  std::optional<WriteReport> MakeReport(bool existed) {
    workspace_.cache.SetLastTree(report_.tree, previous_digest_);
    report_.existed = existed;
    report_.files_read = plan_.files_read;
    report_.bytes_read = plan_.bytes_read;
    for (std::size_t i = 0; i < plan_.states.size(); ++i) {
      if (plan_.states[i].changed) report_.changed.push_back(workspace_.source.entries[i].path);
    }
    report_.removed = removed_;
    return report_;
  }

  store::Store& store_;
  ContentLease& lease_;
  const Workspace& workspace_;
  const WriteOptions& options_;
  std::vector<std::string>& removed_;  ///< also by earlier attempts
  const std::stop_token stop_;
  HashPlan plan_;
  bool digest_known_ = false;       ///< report_.tree is set
  std::vector<Digest> candidates_;  ///< for the previous tree
  std::optional<PreviousTree> previous_;
  std::optional<Digest> previous_digest_;
  bool existed_ = false;
  WriteReport report_;
};

}  // namespace

Result<Digest> ComputeTreeDigest(const Workspace& workspace, const WriteOptions& options,
                                 std::stop_token stop) {
  if (const auto unchanged = FindUnchangedTree(workspace)) return *unchanged;
  KINETIC_ASSIGN_OR_RETURN(HashPlan plan, MakeHashPlan(workspace));
  KINETIC_RETURN_IF_ERROR(
      HashUnknownFiles(workspace, options.threads, false, plan, std::move(stop)));
  std::vector<std::string> removed;
  KINETIC_RETURN_IF_ERROR(plan.DropRemoved(workspace, removed));
  return TreeDigest(plan.entries);
}

Result<WriteReport> WriteBundle(store::Store& store, ContentLease& lease,
                                const Workspace& workspace, const WriteOptions& options,
                                std::stop_token stop) {
  constexpr int kAttempts = 5;
  std::vector<std::string> removed;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Writer writer(store, lease, workspace, options, removed, stop);
    KINETIC_ASSIGN_OR_RETURN(const auto report, writer.Run(attempt == 0));
    if (report) return *report;
  }
  return Fail(ErrorCode::kAborted,
              "cannot store the bundle: files keep changing, or stored content keeps being removed",
              "run the command again when no process is writing to the folder");
}

}  // namespace kinetic::bundle
