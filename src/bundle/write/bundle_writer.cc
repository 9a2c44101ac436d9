#include "bundle/write/bundle_writer.h"

#include "base/concurrency/parallel.h"
#include "base/try.h"
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

/// Unknown files up to this are read and held before anything else, because the tree may be there.
constexpr std::uint64_t kProbeBytes = 8 << 20;
/// A bundle of less content stands in one object, without a base: one request to read it.
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
         const WriteOptions& options, std::stop_token stop)
      : store_(store),
        lease_(lease),
        workspace_(workspace),
        options_(options),
        stop_(std::move(stop)) {}

  /// Nothing when it has to be begun anew, without the previous tree.
  Result<std::optional<WriteReport>> Run(bool use_previous) {
    KINETIC_ASSIGN_OR_RETURN(plan_, MakeHashPlan(workspace_));
    KINETIC_RETURN_IF_ERROR(Identify());
    if (use_previous) FindCandidates();
    KINETIC_ASSIGN_OR_RETURN(const bool there, LookIntoStore());
    if (there) return Finished(true);
    if (previous_ && IsMostlyDead()) previous_.reset();
    KINETIC_ASSIGN_OR_RETURN(std::optional<Tree> tree, StoreContent());
    if (existed_) return Finished(true);
    if (!tree) return std::nullopt;
    if (previous_ && IsScattered(ExtentsOf(*tree), tree->packs, 0, options_.pack_bytes)) {
      return std::nullopt;
    }
    return StoreTree(*tree);
  }

 private:
  const Previous* previous() const { return previous_ ? &*previous_ : nullptr; }

  /// Finds out the tree's digest, unless that takes reading all.
  Status Identify() {
    if (plan_.unknown_large || plan_.unknown_bytes > kProbeBytes) return {};
    KINETIC_RETURN_IF_ERROR(HashUnknownFiles(workspace_, options_.threads, true, plan_, stop_));
    identified_ = true;
    report_.tree = TreeDigest(plan_.entries);
    return {};
  }

  /// The trees on which this one may be built, the best first.
  void FindCandidates() {
    if (plan_.content_bytes <= kSelfContainedBytes) return;
    for (const auto& tree : {workspace_.cache.last_tree(), workspace_.cache.tree_before()}) {
      if (tree) candidates_.push_back(*tree);
    }
  }

  /// Whether the tree is stored already; otherwise what it is built upon is known then.
  Result<bool> LookIntoStore() {
    const bool unchanged =
        identified_ && !candidates_.empty() && candidates_.front() == report_.tree;
    // What is remembered of trees is confirmed with what is asked at the same time; what has to be
    // read waits until it is needed.
    if (identified_ && !unchanged && lease_.trees() != nullptr) {
      constexpr std::size_t kBoth = 2;
      const auto look = [&](std::size_t part, const std::stop_token& stop) {
        return part == 0 ? FindTree(stop) : LoadPrevious(stop);
      };
      KINETIC_RETURN_IF_ERROR(ParallelFor(kBoth, kBoth, stop_, look));
      return existed_;
    }
    if (identified_) KINETIC_RETURN_IF_ERROR(FindTree(stop_));
    if (!existed_) KINETIC_RETURN_IF_ERROR(LoadPrevious(stop_));
    return existed_;
  }

  Status FindTree(const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(existed_, lease_.ReuseTree(report_.tree, stop));
    return {};
  }

  Status LoadPrevious(const std::stop_token& stop) {
    for (const Digest& candidate : candidates_) {
      if (identified_ && candidate == report_.tree) continue;
      KINETIC_ASSIGN_OR_RETURN(previous_, Previous::Load(store_, lease_, candidate, stop));
      if (!previous_) continue;
      built_on_ = candidate;
      break;
    }
    return {};
  }

  /// Whether too little of what the previous tree's packs hold is in this one.
  bool IsMostlyDead() const {
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
    return IsScattered(stored, previous_->tree().packs, new_bytes, options_.pack_bytes);
  }

  Result<std::optional<Tree>> StoreContent() {
    Packer packer(lease_, options_, previous_.has_value(), stop_);
    Composer composer(packer);
    ContentWriter content(workspace_, previous(), plan_, composer);
    KINETIC_RETURN_IF_ERROR(content.Write(options_.threads, stop_));
    TreeBuilder builder(previous(), content, composer, plan_.entries);
    KINETIC_RETURN_IF_ERROR(builder.Carry());
    KINETIC_ASSIGN_OR_RETURN(Composed composed, FinishContent(composer));
    report_.delta = builder.is_delta();
    report_.objects_stored = composed.stored_packs;
    report_.bytes_stored = composed.stored_bytes;
    return builder.Build(std::move(composed));
  }

  /// Waits for the last packs, and looks meanwhile whether the tree is stored that is known now.
  Result<Composed> FinishContent(Composer& composer) {
    if (identified_) return composer.Finish();
    report_.tree = TreeDigest(plan_.entries);
    Composed composed;
    constexpr std::size_t kBoth = 2;
    const auto finish = [&](std::size_t part, const std::stop_token& stop) -> Status {
      if (part == 0) return FindTree(stop);
      KINETIC_ASSIGN_OR_RETURN(composed, composer.Finish());
      return {};
    };
    KINETIC_RETURN_IF_ERROR(ParallelFor(kBoth, kBoth, stop_, finish));
    return composed;
  }

  Result<std::optional<WriteReport>> StoreTree(const Tree& tree) {
    KINETIC_ASSIGN_OR_RETURN(const std::string object,
                             EncodeTree(tree, tree.base ? &previous_->base() : nullptr));
    if (auto put = lease_.PutTree(report_.tree, object, stop_); !put) {
      if (put.error().code == ErrorCode::kAborted) return std::nullopt;
      return Failure(std::move(put).error());
    }
    ++report_.objects_stored;
    report_.bytes_stored += object.size();
    return Finished(false);
  }

  std::optional<WriteReport> Finished(bool existed) {
    workspace_.cache.SetLastTree(report_.tree, built_on_);
    report_.existed = existed;
    report_.files_read = plan_.files_read;
    report_.bytes_read = plan_.bytes_read;
    return report_;
  }

  store::Store& store_;
  ContentLease& lease_;
  const Workspace& workspace_;
  const WriteOptions& options_;
  const std::stop_token stop_;
  HashPlan plan_;
  bool identified_ = false;         ///< report_.tree is set
  std::vector<Digest> candidates_;  ///< to be built upon
  std::optional<Previous> previous_;
  std::optional<Digest> built_on_;
  bool existed_ = false;
  WriteReport report_;
};

}  // namespace

Result<Digest> Identify(const Workspace& workspace, const WriteOptions& options,
                        std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(HashPlan plan, MakeHashPlan(workspace));
  KINETIC_RETURN_IF_ERROR(
      HashUnknownFiles(workspace, options.threads, false, plan, std::move(stop)));
  return TreeDigest(plan.entries);
}

Result<WriteReport> WriteBundle(store::Store& store, ContentLease& lease,
                                const Workspace& workspace, const WriteOptions& options,
                                std::stop_token stop) {
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Writer writer(store, lease, workspace, options, stop);
    KINETIC_ASSIGN_OR_RETURN(const auto report, writer.Run(attempt == 0));
    if (report) return *report;
  }
  return Fail(ErrorCode::kAborted,
              "storing the bundle: files change, or stored content goes away, while it is written",
              "run it again when nothing writes to the folder");
}

}  // namespace kinetic::bundle
