#include "bundle/lease.h"

#include "base/parallel.h"
#include "base/try.h"
#include "record/layout.h"
#include "store/sources.h"

#include <algorithm>
#include <vector>

namespace kinetic::bundle {
namespace {

using record::PackName;
using record::TreeName;

using MaybeTime = std::optional<WallTime>;

/// How often others may thwart a put before it is given up.
constexpr int kAttempts = 10;
constexpr std::uint64_t kTreeBytes = 1ULL << 30;

Failure Gone(const std::string& name) {
  return Fail(ErrorCode::kAborted, name + " went away while it was being built upon",
              "run the same command again");
}

/// A tree object and which one it is.
struct TreeObject {
  std::string body;
  std::int64_t generation = 0;
};

Result<std::optional<TreeObject>> ReadTree(store::Store& store, const std::string& name,
                                           const std::stop_token& stop) {
  TreeObject tree;
  const auto append = [&](std::string_view piece) -> Status {
    tree.body += piece;
    if (tree.body.size() <= kTreeBytes) return {};
    return Fail(ErrorCode::kDataLoss, name + " is larger than a tree can be");
  };
  KINETIC_ASSIGN_OR_RETURN(const auto info, store.Get(name, {}, append, stop));
  if (!info) return std::nullopt;
  tree.generation = info->generation;
  return tree;
}

}  // namespace

ContentLease::ContentLease(store::Store& store, ReferenceReader references, std::size_t requests)
    : store_(store), references_(std::move(references)), requests_(requests) {}

void ContentLease::Remember(const store::ObjectInfo& info) {
  const std::lock_guard lock(mutex_);
  leases_.insert_or_assign(info.name, info.lease);
}

void ContentLease::Confirmed(const Digest& tree, WallTime when) {
  const std::lock_guard lock(mutex_);
  trees_.insert_or_assign(tree, when);
}

/// The lease that was seen before, while it is young.
Result<MaybeTime> ContentLease::Known(const std::string& name, const std::stop_token& stop) {
  MaybeTime lease;
  {
    const std::lock_guard lock(mutex_);
    const auto found = leases_.find(name);
    if (found == leases_.end()) return std::nullopt;
    lease = found->second;
  }
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
  return now - *lease < kTouchAfter ? lease : std::nullopt;
}

Result<MaybeTime> ContentLease::YoungLease(const std::string& name, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const MaybeTime known, Known(name, stop));
  if (known) return known;
  KINETIC_ASSIGN_OR_RETURN(auto info, store_.Stat(name, stop));
  if (!info) return std::nullopt;
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
  if (now - info->lease >= kTouchAfter) {
    KINETIC_ASSIGN_OR_RETURN(info, store_.Touch(name, {}, stop));
    if (!info) return std::nullopt;
  }
  Remember(*info);
  return info->lease;
}

Result<bool> ContentLease::ReusePack(const Digest& pack, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const MaybeTime lease, YoungLease(PackName(pack), stop));
  return lease.has_value();
}

Status ContentLease::PutPack(const Digest& pack, store::Source& source, std::stop_token stop) {
  const std::string name = PackName(pack);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto put,
                             store_.Put(name, source, store::Precondition::Absent(), {}, stop));
    if (put) {
      Remember(*put);
      return {};
    }
    KINETIC_ASSIGN_OR_RETURN(const bool there, ReusePack(pack, stop));
    if (there) return {};
  }
  return Gone(name);
}

Result<bool> ContentLease::ReuseBase(const Digest& base, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const MaybeTime lease, BaseLease(base, stop));
  return lease.has_value();
}

Result<MaybeTime> ContentLease::BaseLease(const Digest& base, const std::stop_token& stop) {
  const std::string name = TreeName(base);
  KINETIC_ASSIGN_OR_RETURN(const MaybeTime known, Known(name, stop));
  if (known) return known;
  KINETIC_ASSIGN_OR_RETURN(const auto there, store_.Stat(name, stop));
  if (!there) return std::nullopt;
  Remember(*there);
  KINETIC_ASSIGN_OR_RETURN(const MaybeTime young, Known(name, stop));
  if (young) return young;
  return RenewAs(base, true, stop);
}

Result<MaybeTime> ContentLease::LeastLease(std::string_view body, bool is_base,
                                           const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(WallTime least, store_.Now(stop));
  const auto needs = references_(body);
  if (needs && needs->base && is_base) return std::nullopt;
  if (!needs) {
    // To a writer, who has the files, what is damaged is as good as absent.
    if (needs.error().code == ErrorCode::kDataLoss) return std::nullopt;
    return Failure(needs.error());
  }
  std::vector<MaybeTime> leases(needs->packs.size());
  const auto look = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_ASSIGN_OR_RETURN(leases[i], YoungLease(PackName(needs->packs[i]), stopping));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(Parallel(std::min(requests_, leases.size()), leases.size(), stop, look));
  if (needs->base) {
    // Nobody has said that this one is full, unless it was confirmed before.
    KINETIC_ASSIGN_OR_RETURN(MaybeTime lease, Known(TreeName(*needs->base), stop));
    if (!lease) {
      KINETIC_ASSIGN_OR_RETURN(lease, RenewAs(*needs->base, true, stop));
    }
    leases.push_back(lease);
  }
  for (const MaybeTime& lease : leases) {
    if (!lease) return std::nullopt;
    least = std::min(least, *lease);
  }
  return least;
}

Result<bool> ContentLease::Renew(const Digest& tree, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const MaybeTime lease, RenewAs(tree, false, stop));
  return lease.has_value();
}

Result<MaybeTime> ContentLease::RenewAs(const Digest& tree, bool is_base,
                                        const std::stop_token& stop) {
  const std::string name = TreeName(tree);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
    KINETIC_ASSIGN_OR_RETURN(const auto object, ReadTree(store_, name, stop));
    if (!object) return std::nullopt;
    KINETIC_ASSIGN_OR_RETURN(const MaybeTime lease, LeastLease(object->body, is_base, stop));
    if (!lease) return std::nullopt;
    KINETIC_ASSIGN_OR_RETURN(
        const auto touched,
        store_.Touch(name, {.lease = lease, .generation = object->generation}, stop));
    if (!touched) continue;  // removed, or replaced by one that names other packs
    Remember(*touched);
    Confirmed(tree, now);
    return touched->lease;
  }
  return Gone(name);
}

Result<bool> ContentLease::ReuseTree(const Digest& tree, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto there, store_.Stat(TreeName(tree), stop));
  if (!there) return false;
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
  if (now - there->lease >= kReuseFor) return Renew(tree, stop);
  Remember(*there);
  Confirmed(tree, now);
  return true;
}

Status ContentLease::PutTree(const Digest& tree, std::string_view body, std::stop_token stop) {
  const std::string name = TreeName(tree);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
    KINETIC_ASSIGN_OR_RETURN(const MaybeTime lease, LeastLease(body, false, stop));
    if (!lease) return Gone("what " + name + " names");
    // Whoever writes a tree has found none: only a refusal tells of another.
    auto precondition = store::Precondition::Absent();
    if (attempt > 0) {
      KINETIC_ASSIGN_OR_RETURN(const auto there, store_.Stat(name, stop));
      KINETIC_ASSIGN_OR_RETURN(const bool usable, ReuseTree(tree, stop));
      if (usable) return {};
      if (there) precondition = store::Precondition::Generation(there->generation);
    }
    store::BytesSource source(body);
    KINETIC_ASSIGN_OR_RETURN(const auto put, store_.Put(name, source, precondition,
                                                        {.metadata = {}, .lease = lease}, stop));
    if (put) {
      Confirmed(tree, now);
      return {};
    }
  }
  return Gone(name);
}

Result<bool> ContentLease::RenewIfSlow(std::stop_token stop) {
  std::map<Digest, WallTime> trees;
  {
    const std::lock_guard lock(mutex_);
    trees = trees_;
  }
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));
  for (const auto& [tree, confirmed] : trees) {
    if (now - confirmed < kConfirmedFor && confirmed - now < kConfirmedFor) continue;
    KINETIC_ASSIGN_OR_RETURN(const bool renewed, Renew(tree, stop));
    if (!renewed) return false;
  }
  return true;
}

}  // namespace kinetic::bundle
