#include "bundle/write/previous_tree.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <utility>

namespace kinetic::bundle {
namespace {

using TreeState = ContentLease::TreeState;

bool IsUnusable(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kDataLoss;
}

/// Confirms a stale tree: its base with the base's packs, and its other packs.
Result<bool> ConfirmBaseAndPacks(ContentLease& lease, const Tree& tree, const Digest& base,
                                 const std::stop_token& stop) {
  constexpr std::size_t kRequests = 16;
  // A full tree has no other packs: ReuseBase confirms them all.
  const std::size_t first = tree.base ? tree.base_packs : tree.packs.size();
  const std::size_t count = 1 + tree.packs.size() - first;
  std::atomic<bool> all_there = true;
  const auto confirm = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const bool there,
                             i == 0 ? lease.ReuseBase(base, stopping)
                                    : lease.ReusePack(tree.packs[first + i - 1].digest, stopping));
    if (!there) all_there = false;
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(std::min(kRequests, count), count, stop, confirm));
  return all_there;
}

/// Returns the cached objects of a tree and its base, or nullopt.
std::optional<TreeObjects> FindCached(const TreeCache* cache, const Digest& digest) {
  if (cache == nullptr) return std::nullopt;
  auto objects = FetchTreeObjects(digest, [&](const Digest& tree) { return cache->Find(tree); });
  if (!objects) return std::nullopt;
  return *std::move(objects);
}

Result<TreeObjects> FetchAndCache(store::Store& store, const TreeCache* cache, const Digest& digest,
                                  const std::stop_token& stop) {
  return FetchTreeObjects(digest, [&](const Digest& tree) -> Result<std::optional<TreeObject>> {
    KINETIC_ASSIGN_OR_RETURN(auto object, ReadTreeObject(store, tree, stop));
    // A failure only means that the object is read again.
    if (object && cache != nullptr) (void)cache->Insert(tree, *object);
    return object;
  });
}

}  // namespace

PreviousTree::PreviousTree(LoadedTree loaded, const Digest& digest)
    : loaded_(std::move(loaded)),
      base_digest_(loaded_.tree.base.value_or(digest)),
      files_(loaded_.tree.entries.size()) {
  for (const auto& entry : loaded_.tree.entries) {
    if (entry.extents.empty()) continue;
    files_.Add(entry);
    if (entry.extents.size() == 1) continue;  // in files_
    for (const auto& extent : entry.extents) pieces_.emplace(extent.content, &extent);
  }
}

/// Returns nullopt if the objects are damaged or outdated.
Result<std::optional<PreviousTree>> PreviousTree::Confirm(ContentLease& lease,
                                                          const TreeObjects& objects,
                                                          const std::stop_token& stop) {
  TreeState tree = TreeState::kChanged;
  TreeState base = TreeState::kFresh;
  Result<LoadedTree> loaded = LoadedTree();
  const std::array<std::function<Status(const std::stop_token&)>, 3> parts{
      [&](const std::stop_token& stopping) -> Status {
        KINETIC_ASSIGN_OR_RETURN(tree, lease.Inspect(objects.digest, objects.tree, stopping));
        return {};
      },
      [&](const std::stop_token& stopping) -> Status {
        if (!objects.base_digest) return {};
        KINETIC_ASSIGN_OR_RETURN(base, lease.Inspect(*objects.base_digest, objects.base, stopping));
        return {};
      },
      [&](const std::stop_token&) -> Status {
        loaded = DecodeTree(objects);
        return {};
      }};
  KINETIC_RETURN_IF_ERROR(ParallelFor(
      parts.size(), parts.size(), stop,
      [&](std::size_t part, const std::stop_token& stopping) { return parts[part](stopping); }));
  if (tree == TreeState::kChanged || base == TreeState::kChanged) return std::nullopt;
  if (!loaded && IsUnusable(loaded.error())) return std::nullopt;
  if (!loaded) return Failure(std::move(loaded).error());
  if (tree == TreeState::kStale || base == TreeState::kStale) {
    const Digest full = objects.base_digest.value_or(objects.digest);
    KINETIC_ASSIGN_OR_RETURN(const bool there,
                             ConfirmBaseAndPacks(lease, loaded->tree, full, stop));
    if (!there) return std::nullopt;
  }
  return PreviousTree(*std::move(loaded), objects.digest);
}

Result<std::optional<PreviousTree>> PreviousTree::Load(store::Store& store, ContentLease& lease,
                                                       const Digest& digest, std::stop_token stop) {
  if (const auto objects = FindCached(lease.trees(), digest)) {
    KINETIC_ASSIGN_OR_RETURN(auto previous, Confirm(lease, *objects, stop));
    if (previous) return previous;
  }
  auto objects = FetchAndCache(store, lease.trees(), digest, stop);
  if (!objects && IsUnusable(objects.error())) return std::nullopt;
  if (!objects) return Failure(std::move(objects).error());
  return Confirm(lease, *objects, stop);
}

const std::vector<Extent>* PreviousTree::FindFile(const Digest& content) const {
  const TreeEntry* file = files_.Find(content);
  return file == nullptr ? nullptr : &file->extents;
}

const Extent* PreviousTree::FindPiece(const Digest& content) const {
  if (const auto found = pieces_.find(content); found != pieces_.end()) return found->second;
  const auto* extents = FindFile(content);
  return extents != nullptr && extents->size() == 1 ? &extents->front() : nullptr;
}

}  // namespace kinetic::bundle
