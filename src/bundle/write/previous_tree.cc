#include "bundle/write/previous_tree.h"

#include "base/concurrency/parallel.h"
#include "base/try.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <utility>

namespace kinetic::bundle {
namespace {

using Standing = ContentLease::Standing;

bool CannotBeBuiltUpon(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kDataLoss;
}

/// Confirms a tree that is not young: its base, whose packs are confirmed with it, and the others.
Result<bool> ConfirmEach(ContentLease& lease, const Tree& tree, const Digest& base,
                         const std::stop_token& stop) {
  constexpr std::size_t kRequests = 16;
  // A full tree may become the base of the next one: then there is nothing beside it.
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

/// Both objects of a tree as this client knows them, or nothing.
std::optional<TreeObjects> Remembered(const TreeCache* cache, const Digest& digest) {
  if (cache == nullptr) return std::nullopt;
  auto objects = GatherTree(digest, [&](const Digest& tree) { return cache->Find(tree); });
  if (!objects) return std::nullopt;
  return *std::move(objects);
}

Result<TreeObjects> Read(store::Store& store, const TreeCache* cache, const Digest& digest,
                         const std::stop_token& stop) {
  return GatherTree(digest, [&](const Digest& tree) -> Result<std::optional<TreeObject>> {
    KINETIC_ASSIGN_OR_RETURN(auto object, ReadTreeObject(store, tree, stop));
    // What cannot be remembered is read again, no more.
    if (object && cache != nullptr) (void)cache->Keep(tree, *object);
    return object;
  });
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

/// Nothing: the objects are damaged, or not those in the store any more.
Result<std::optional<Previous>> Previous::Confirm(ContentLease& lease, const TreeObjects& objects,
                                                  const std::stop_token& stop) {
  Standing tree = Standing::kOther;
  Standing base = Standing::kYoung;
  Result<LoadedTree> loaded = LoadedTree();
  const std::array<std::function<Status(const std::stop_token&)>, 3> parts{
      [&](const std::stop_token& stopping) -> Status {
        KINETIC_ASSIGN_OR_RETURN(tree, lease.LookAt(objects.digest, objects.tree, stopping));
        return {};
      },
      [&](const std::stop_token& stopping) -> Status {
        if (!objects.base_digest) return {};
        KINETIC_ASSIGN_OR_RETURN(base, lease.LookAt(*objects.base_digest, objects.base, stopping));
        return {};
      },
      [&](const std::stop_token&) -> Status {
        loaded = DecodeTree(objects);
        return {};
      }};
  KINETIC_RETURN_IF_ERROR(ParallelFor(
      parts.size(), parts.size(), stop,
      [&](std::size_t part, const std::stop_token& stopping) { return parts[part](stopping); }));
  if (tree == Standing::kOther || base == Standing::kOther) return std::nullopt;
  if (!loaded && CannotBeBuiltUpon(loaded.error())) return std::nullopt;
  if (!loaded) return Failure(std::move(loaded).error());
  if (tree == Standing::kOld || base == Standing::kOld) {
    const Digest full = objects.base_digest.value_or(objects.digest);
    KINETIC_ASSIGN_OR_RETURN(const bool there, ConfirmEach(lease, loaded->tree, full, stop));
    if (!there) return std::nullopt;
  }
  return Previous(*std::move(loaded), objects.digest);
}

Result<std::optional<Previous>> Previous::Load(store::Store& store, ContentLease& lease,
                                               const Digest& digest, std::stop_token stop) {
  if (const auto objects = Remembered(lease.trees(), digest)) {
    KINETIC_ASSIGN_OR_RETURN(auto previous, Confirm(lease, *objects, stop));
    if (previous) return previous;
  }
  auto objects = Read(store, lease.trees(), digest, stop);
  if (!objects && CannotBeBuiltUpon(objects.error())) return std::nullopt;
  if (!objects) return Failure(std::move(objects).error());
  return Confirm(lease, *objects, stop);
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
