#include "bundle/previous.h"

#include "base/try.h"

#include <utility>

namespace kinetic::bundle {
namespace {

/// Confirms what the tree names beside its base, whose packs are confirmed with it.
Result<bool> ConfirmPacks(ContentLease& lease, const Tree& tree, std::stop_token stop) {
  const std::size_t first = tree.base ? tree.base_packs : tree.packs.size();
  for (std::size_t i = first; i < tree.packs.size(); ++i) {
    KINETIC_ASSIGN_OR_RETURN(const bool there, lease.ReusePack(tree.packs[i].digest, stop));
    if (!there) return false;
  }
  return true;
}

}  // namespace

Previous::Previous(LoadedTree loaded, const Digest& digest)
    : loaded_(std::move(loaded)),
      base_digest_(loaded_.tree.base.value_or(digest)),
      files_(loaded_.tree.entries.size()) {
  for (const auto& entry : loaded_.tree.entries) {
    if (entry.extents.empty()) continue;
    files_.Add(entry);
    if (entry.extents.size() == 1) continue;  // files_ has it
    for (const auto& extent : entry.extents) pieces_.emplace(extent.content, &extent);
  }
}

Result<std::optional<Previous>> Previous::Load(store::Store& store, ContentLease& lease,
                                               const Digest& digest, std::stop_token stop) {
  auto loaded = LoadTreeAndBase(store, digest, stop);
  if (!loaded) {
    const ErrorCode code = loaded.error().code;
    if (code == ErrorCode::kNotFound || code == ErrorCode::kDataLoss) return std::nullopt;
    return Failure(std::move(loaded).error());
  }
  // A full tree may become the base of the next one, so it is confirmed as well.
  const Digest base = loaded->tree.base.value_or(digest);
  KINETIC_ASSIGN_OR_RETURN(const bool base_there, lease.ReuseBase(base, stop));
  if (!base_there) return std::nullopt;
  KINETIC_ASSIGN_OR_RETURN(const bool all_there,
                           ConfirmPacks(lease, loaded->tree, std::move(stop)));
  if (!all_there) return std::nullopt;
  return Previous(*std::move(loaded), digest);
}

const std::vector<Extent>* Previous::FindFile(const Digest& content) const {
  const TreeEntry* file = files_.Find(content);
  return file == nullptr ? nullptr : &file->extents;
}

const Extent* Previous::FindPiece(const Digest& content) const {
  if (const auto found = pieces_.find(content); found != pieces_.end()) return found->second;
  const auto* extents = FindFile(content);
  return extents != nullptr && extents->size() == 1 ? &extents->front() : nullptr;
}

}  // namespace kinetic::bundle
