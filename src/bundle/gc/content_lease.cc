#include "bundle/gc/content_lease.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/hash/crc32c.h"
#include "record/object_names.h"
#include "store/age.h"
#include "store/source.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kinetic::bundle {
namespace {

using record::PackName;
using record::TreeName;

using OptionalTime = std::optional<WallTime>;

/// Attempts to put an object while other clients change it.
constexpr int kPutAttempts = 10;

Failure VanishedError(const std::string& name) {
  return Fail(ErrorCode::kAborted, name + " was removed while it was in use",
              "run the same command again");
}

/// Returns nullopt for a damaged object, too: the caller stores its content again.
Result<std::optional<store::ObjectInfo>> StatIntact(store::Store& store, const std::string& name,
                                                    const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto info, store.Stat(name, stop));
  if (info && !info->damage.empty()) info.reset();
  return info;
}

/// Returns whether the stored object is `object`.
bool IsSame(const store::ObjectInfo& info, const TreeObject& object) {
  return info.generation == object.generation && info.size_bytes == object.body.size() &&
         (info.crc32c.empty() || info.crc32c == Crc32c().Update(object.body).Base64());
}

}  // namespace

ContentLease::ContentLease(store::Store& store, ReferenceReader references, std::size_t requests,
                           std::shared_ptr<TreeCache> trees)
    : store_(store),
      references_(std::move(references)),
      requests_(requests),
      tree_cache_(std::move(trees)) {}

void ContentLease::RecordLease(const store::ObjectInfo& info) {
  const std::lock_guard lock(mutex_);
  leases_.insert_or_assign(info.name, info.lease);
}

void ContentLease::RecordLeases(const TreeReferences& references, WallTime lease) {
  const std::lock_guard lock(mutex_);
  const auto remember = [&](const std::string& name) {
    WallTime& known = leases_.try_emplace(name, lease).first->second;
    known = std::max(known, lease);
  };
  for (const Digest& pack : references.packs) remember(PackName(pack));
  if (references.base) remember(TreeName(*references.base));
}

void ContentLease::RecordTree(const Digest& tree, const store::ObjectInfo& info) {
  RecordLease(info);
  const std::lock_guard lock(mutex_);
  trees_.insert_or_assign(tree, info.lease);
}

/// Returns the lease that was read before, if it is fresh.
OptionalTime ContentLease::CachedLease(const std::string& name, WallTime now) {
  const std::lock_guard lock(mutex_);
  const auto found = leases_.find(name);
  if (found == leases_.end()) return std::nullopt;
  return store::IsFresh(found->second, now, kTouchAfter) ? OptionalTime(found->second)
                                                         : std::nullopt;
}

Result<OptionalTime> ContentLease::FreshLease(const std::string& name, WallTime now,
                                              const std::stop_token& stop) {
  if (const OptionalTime known = CachedLease(name, now)) return known;
  KINETIC_ASSIGN_OR_RETURN(auto info, StatIntact(store_, name, stop));
  if (!info) return std::nullopt;
  if (!store::IsFresh(info->lease, now, kTouchAfter)) {
    KINETIC_ASSIGN_OR_RETURN(info, store_.Touch(name, {}, stop));
    if (!info) return std::nullopt;
  }
  RecordLease(*info);
  return info->lease;
}

Result<bool> ContentLease::ReusePack(const Digest& pack, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
  KINETIC_ASSIGN_OR_RETURN(const OptionalTime lease, FreshLease(PackName(pack), now, stop));
  return lease.has_value();
}

Result<bool> ContentLease::PutPack(const Digest& pack, store::Source& source,
                                   std::stop_token stop) {
  const std::string name = PackName(pack);
  for (int attempt = 0; attempt < kPutAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto put,
                             store_.Put(name, source, store::Precondition::Absent(), {}, stop));
    if (put) {
      RecordLease(*put);
      return true;
    }
    KINETIC_ASSIGN_OR_RETURN(const bool there, ReusePack(pack, stop));
    if (there) return false;
  }
  return VanishedError(name);
}

Result<bool> ContentLease::ReuseBase(const Digest& base, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const OptionalTime lease, BaseLease(base, stop));
  return lease.has_value();
}

Result<OptionalTime> ContentLease::BaseLease(const Digest& base, const std::stop_token& stop) {
  const std::string name = TreeName(base);
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
  if (const OptionalTime known = CachedLease(name, now)) return known;
  KINETIC_ASSIGN_OR_RETURN(const auto there, StatIntact(store_, name, stop));
  if (!there) return std::nullopt;
  RecordLease(*there);
  if (const OptionalTime young = CachedLease(name, now)) return young;
  return RenewAs(base, true, stop);
}

Result<OptionalTime> ContentLease::OldestLease(std::string_view body, bool is_base, WallTime now,
                                               const std::stop_token& stop) {
  WallTime least = WallTime::max();
  const auto needs = references_(body);
  if (needs && needs->base && is_base) return std::nullopt;
  if (!needs) {
    // Treat damaged trees as missing: the caller has the files.
    if (needs.error().code == ErrorCode::kDataLoss) return std::nullopt;
    return Failure(needs.error());
  }
  std::vector<OptionalTime> leases(needs->packs.size());
  const auto look = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_ASSIGN_OR_RETURN(leases[i], FreshLease(PackName(needs->packs[i]), now, stopping));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(std::min(requests_, leases.size()), leases.size(), stop, look));
  if (needs->base) {
    // Unless it was confirmed before, check that the base is a full tree.
    OptionalTime lease = CachedLease(TreeName(*needs->base), now);
    if (!lease) {
      KINETIC_ASSIGN_OR_RETURN(lease, RenewAs(*needs->base, true, stop));
    }
    leases.push_back(lease);
  }
  for (const OptionalTime& lease : leases) {
    if (!lease) return std::nullopt;
    least = std::min(least, *lease);
  }
  return least;
}

Result<bool> ContentLease::Renew(const Digest& tree, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const OptionalTime lease, RenewAs(tree, false, stop));
  return lease.has_value();
}

Result<OptionalTime> ContentLease::RenewAs(const Digest& tree, bool is_base,
                                           const std::stop_token& stop) {
  const std::string name = TreeName(tree);
  for (int attempt = 0; attempt < kPutAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.ExactNow(stop));
    const auto object = ReadTreeObject(store_, tree, stop);
    if (!object && object.error().code != ErrorCode::kDataLoss) return Failure(object.error());
    if (!object || !*object) return std::nullopt;
    KINETIC_ASSIGN_OR_RETURN(OptionalTime lease, OldestLease((*object)->body, is_base, now, stop));
    if (!lease) return std::nullopt;
    lease = std::min(*lease, now);
    KINETIC_ASSIGN_OR_RETURN(
        const auto touched,
        store_.Touch(name, {.lease = lease, .generation = (*object)->generation}, stop));
    if (!touched) continue;  // removed, or replaced by a tree with other packs
    RecordTree(tree, *touched);
    return touched->lease;
  }
  return VanishedError(name);
}

Result<bool> ContentLease::ReuseTree(const Digest& tree, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto there, StatIntact(store_, TreeName(tree), stop));
  if (!there) return false;
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
  if (!store::IsFresh(there->lease, now, kReuseFor)) return Renew(tree, stop);
  RecordTree(tree, *there);
  return true;
}

Result<ContentLease::TreeState> ContentLease::Inspect(const Digest& tree, const TreeObject& object,
                                                      std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto there, store_.Stat(TreeName(tree), stop));
  if (!there || !IsSame(*there, object)) return TreeState::kChanged;
  const auto references = references_(object.body);
  if (!references) return TreeState::kChanged;
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
  if (!store::IsFresh(there->lease, now, kTouchAfter)) return TreeState::kStale;
  RecordLease(*there);
  RecordLeases(*references, there->lease);
  return TreeState::kFresh;
}

void ContentLease::DeferTrees() {
  const std::lock_guard lock(mutex_);
  defers_trees_ = true;
}

bool ContentLease::HasDeferredTrees() {
  const std::lock_guard lock(mutex_);
  return !deferred_.empty();
}

Status ContentLease::PutTree(const Digest& tree, std::string_view body, std::stop_token stop) {
  {
    const std::lock_guard lock(mutex_);
    if (defers_trees_) {
      deferred_.insert_or_assign(tree, std::string(body));
      return {};
    }
  }
  return PutTreeNow(tree, body, stop);
}

Status ContentLease::PutDeferredTrees(std::stop_token stop) {
  std::vector<std::pair<Digest, std::string>> deferred;
  {
    const std::lock_guard lock(mutex_);
    for (auto& each : std::exchange(deferred_, {})) deferred.emplace_back(std::move(each));
  }
  return ParallelFor(std::min(requests_, deferred.size()), deferred.size(), std::move(stop),
                     [&](std::size_t i, const std::stop_token& stopping) {
                       return PutTreeNow(deferred[i].first, deferred[i].second, stopping);
                     });
}

Status ContentLease::PutTreeNow(const Digest& tree, std::string_view body,
                                const std::stop_token& stop) {
  const std::string name = TreeName(tree);
  for (int attempt = 0; attempt < kPutAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
    KINETIC_ASSIGN_OR_RETURN(OptionalTime lease, OldestLease(body, false, now, stop));
    if (!lease) return VanishedError("content that " + name + " refers to");
    // Without references, the store sets it.
    lease = *lease == WallTime::max() ? std::nullopt : OptionalTime(std::min(*lease, now));
    // The caller found no tree, so look for one only after the first put fails.
    if (attempt > 0) {
      KINETIC_ASSIGN_OR_RETURN(const auto there, store_.Stat(name, stop));
      KINETIC_ASSIGN_OR_RETURN(const bool usable, ReuseTree(tree, stop));
      if (usable) return {};
      // Not replaced by generation: another client may have renewed it since, which a put would undo.
      if (there) KINETIC_RETURN_IF_ERROR(store_.RemoveIfUnchanged(*there, stop));
    }
    store::BytesSource source(body);
    KINETIC_ASSIGN_OR_RETURN(const auto put, store_.Put(name, source, store::Precondition::Absent(),
                                                        {.metadata = {}, .lease = lease}, stop));
    if (put) {
      RecordTree(tree, *put);
      // A failure only means that the object is read again.
      if (tree_cache_) (void)tree_cache_->Insert(tree, {std::string(body), put->generation});
      return {};
    }
  }
  return VanishedError(name);
}

Result<bool> ContentLease::RenewIfStale(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
  return RenewStale(now, stop);
}

Result<bool> ContentLease::Confirm(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.ExactNow(stop));
  return RenewStale(now, stop);
}

Result<bool> ContentLease::RenewStale(WallTime now, const std::stop_token& stop) {
  std::map<Digest, WallTime> trees;
  {
    const std::lock_guard lock(mutex_);
    trees = trees_;
  }
  for (const auto& [tree, lease] : trees) {
    if (store::IsFresh(lease, now, kReuseFor)) continue;
    KINETIC_ASSIGN_OR_RETURN(const bool renewed, Renew(tree, stop));
    if (!renewed) return false;
  }
  return true;
}

}  // namespace kinetic::bundle
