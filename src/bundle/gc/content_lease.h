#pragma once

#include "bundle/format/tree_cache.h"
#include "bundle/format/tree_codec.h"
#include "store/object_store.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// The writer's side of the garbage collection protocol: docs/adr/0004-garbage-collection.md.
namespace kinetic::bundle {

/// Trees younger than this are reused without renewal.
inline constexpr std::chrono::hours kReuseFor{7 * 24};
/// Content older than this is touched when a new tree refers to it.
inline constexpr std::chrono::hours kTouchAfter{4 * 24};
/// Unreferenced content older than this is removed.
inline constexpr std::chrono::hours kCollectAfter{8 * 24};

/// Ensures that the content of a submission exists and is not collected before its record is
/// written. Order of calls: ReuseTree; if it returns false, PutPack, ReusePack, ReuseBase and
/// Inspect for the content of the new tree, then PutTree. In both cases call RenewIfStale before
/// and Confirm after the record is written.
///
/// @errors   those of Store and of the ReferenceReader.
/// @threads  safe to call concurrently.
class ContentLease {
 public:
  /// `store` must outlive this object. Sends up to `requests` concurrent requests.
  ///
  /// @param trees  a cache of the same store's trees, or null.
  ContentLease(store::Store& store, ReferenceReader references, std::size_t requests = 16,
               std::shared_ptr<TreeCache> trees = {});

  TreeCache* trees() const { return tree_cache_.get(); }

  /// Confirms a tree with its packs and base. Sends one request if the tree is fresh. Returns false
  /// if it is missing or incomplete.
  Result<bool> ReuseTree(const Digest& tree, std::stop_token stop);

  /// Stores a pack, or confirms the existing one. @returns whether it was stored.
  Result<bool> PutPack(const Digest& pack, store::Source& source, std::stop_token stop);

  /// Confirms an existing pack for the new tree. Returns false if it does not exist.
  Result<bool> ReusePack(const Digest& pack, std::stop_token stop);

  /// Confirms the base of the new tree, with its packs. Sends one request if it is fresh. Returns
  /// false if it is missing or incomplete.
  Result<bool> ReuseBase(const Digest& base, std::stop_token stop);

  /// The state of a tree whose object the caller knows.
  enum class TreeState : std::uint8_t {
    kFresh,    ///< unchanged; the tree and its references are confirmed
    kStale,    ///< unchanged; call ReuseBase and ReusePack
    kChanged,  ///< removed or replaced
  };
  /// Compares a tree in the store with a known object, in one request.
  Result<TreeState> Inspect(const Digest& tree, const TreeObject& object, std::stop_token stop);

  /// Stores a tree, unless a complete one exists. Confirms its references that were not confirmed
  /// through this object.
  ///
  /// @errors  kAborted: a reference does not exist or was removed; start over.
  Status PutTree(const Digest& tree, std::string_view body, std::stop_token stop);

  /// Makes PutTree keep trees in memory until PutDeferredTrees, so that they are stored together
  /// with the other objects of the record.
  void DeferTrees();

  /// Stores the deferred trees concurrently. @errors those of PutTree.
  Status PutDeferredTrees(std::stop_token stop);

  /// Returns whether deferred trees are not stored yet.
  bool HasDeferredTrees();

  /// Renews the trees whose leases are too old by now, because of a slow upload or a suspended
  /// machine. Returns false if content is missing: start over.
  Result<bool> RenewIfStale(std::stop_token stop);

  /// Same, by the exact time of the store's clock, which needs no request after an object was
  /// stored. Everything before may have relied on a wrong clock.
  Result<bool> Confirm(std::stop_token stop);

  /// Touches stale references of a tree, and then the tree. Returns false if content is missing.
  Result<bool> Renew(const Digest& tree, std::stop_token stop);

 private:
  /// Returns the lease of an object, after touching it if it is older than kTouchAfter. This and
  /// the functions below return nullopt if an object is missing or damaged.
  Result<std::optional<WallTime>> FreshLease(const std::string& name, WallTime now,
                                             const std::stop_token& stop);
  Result<std::optional<WallTime>> BaseLease(const Digest& base, const std::stop_token& stop);
  /// Returns the oldest lease of a tree object's references, WallTime::max() without references. A
  /// base must not be a delta.
  Result<std::optional<WallTime>> OldestLease(std::string_view body, bool is_base, WallTime now,
                                              const std::stop_token& stop);
  Result<std::optional<WallTime>> RenewAs(const Digest& tree, bool is_base,
                                          const std::stop_token& stop);
  std::optional<WallTime> CachedLease(const std::string& name, WallTime now);
  void RecordLease(const store::ObjectInfo& info);
  /// Records that the references of a tree have at least its lease.
  void RecordLeases(const TreeReferences& references, WallTime lease);
  Result<bool> RenewStale(WallTime now, const std::stop_token& stop);
  Status PutTreeNow(const Digest& tree, std::string_view body, const std::stop_token& stop);
  /// Records the lease of a tree that the caller's record is going to refer to.
  void RecordTree(const Digest& tree, const store::ObjectInfo& info);

  store::Store& store_;
  const ReferenceReader references_;
  const std::size_t requests_;
  const std::shared_ptr<TreeCache> tree_cache_;
  std::mutex mutex_;
  std::map<std::string, WallTime> leases_;  ///< lower bounds
  std::map<Digest, WallTime> trees_;        ///< leases of confirmed trees
  bool defers_trees_ = false;
  std::map<Digest, std::string> deferred_;
};

}  // namespace kinetic::bundle
