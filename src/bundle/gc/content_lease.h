#pragma once

#include "bundle/format/tree_codec.h"
#include "bundle/write/tree_cache.h"
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

/// A tree younger than this is reused as it is.
inline constexpr std::chrono::hours kReuseFor{7 * 24};
/// Content that a new tree shall name is touched when it is older than this.
inline constexpr std::chrono::hours kTouchAfter{4 * 24};
/// Content older than this that no kept record names is removed.
inline constexpr std::chrono::hours kCollectAfter{8 * 24};
/// The longest time from the check of a tree to the record that names it.
inline constexpr std::chrono::hours kConfirmedFor{12};

/// Makes sure that the content one submission relies on is there and cannot be collected before its
/// record is written. Order of use: ReuseTree; if that says no, PutPack, ReusePack, ReuseBase and
/// LookAt for what the new tree names, then PutTree; in both cases RenewIfSlow before the record is
/// written and once more after.
///
/// @errors   those of Store and of the ReferenceReader.
/// @threads  safe to call concurrently.
class ContentLease {
 public:
  /// `store` and what `references` holds on to outlive the object. Sends up to `requests` at once.
  ///
  /// @param trees  remembers what is put, and tells what was; of the same store; may be null.
  ContentLease(store::Store& store, ReferenceReader references, std::size_t requests = 16,
               std::shared_ptr<TreeCache> trees = {});

  TreeCache* trees() const { return tree_cache_.get(); }

  /// Whether the tree is there with all that it names, and safe from collection. One request (and
  /// the clock) when it is fresh. No: upload what it needs, also where parts are there.
  Result<bool> ReuseTree(const Digest& tree, std::stop_token stop);

  /// Stores a pack, or confirms the one that is there. @returns whether it stored it.
  Result<bool> PutPack(const Digest& pack, store::Source& source, std::stop_token stop);

  /// Confirms a pack that the new tree shall name too; false: it is not there.
  Result<bool> ReusePack(const Digest& pack, std::stop_token stop);

  /// Confirms a full tree that the new one shall be a delta on, with the packs that it names, which
  /// need no ReusePack: one request when it is young. False: some of it is not there.
  Result<bool> ReuseBase(const Digest& base, std::stop_token stop);

  /// What one request tells of a tree whose object the caller has.
  enum class Standing : std::uint8_t {
    kYoung,  ///< it is still that object, and what it names is young too: confirmed with it
    kOld,    ///< it is still that object; ReuseBase and ReusePack tell of what it names
    kOther,  ///< it is gone, or another object
  };
  Result<Standing> LookAt(const Digest& tree, const TreeObject& object, std::stop_token stop);

  /// Stores a tree. What it names and was not confirmed through this object is confirmed now. When
  /// a tree of that name is there and complete, that one stays.
  ///
  /// @errors  kAborted: something that it names is not there (any more); begin anew.
  Status PutTree(const Digest& tree, std::string_view body, std::stop_token stop);

  /// From now on PutTree keeps trees in memory, for PutHeldTrees: at the same time as what else the
  /// record needs, and not before all of that is known.
  void HoldTrees();

  /// Stores the trees that were held, at the same time. @errors those of PutTree.
  Status PutHeldTrees(std::stop_token stop);

  /// Whether trees are held that are not stored yet.
  bool HoldsSome();

  /// Renews the trees that were confirmed or put when that is long ago by the store's clock (a slow
  /// upload, a machine that slept). No: some of it is gone, begin anew.
  Result<bool> RenewIfSlow(std::stop_token stop);

  /// Touches what a tree names, where it is not young, and then the tree. No: some of it is gone.
  Result<bool> Renew(const Digest& tree, std::stop_token stop);

 private:
  /// The lease of an object, touched before if it is older than kTouchAfter; nothing: it is gone.
  Result<std::optional<WallTime>> YoungLease(const std::string& name, const std::stop_token& stop);
  Result<std::optional<WallTime>> BaseLease(const Digest& base, const std::stop_token& stop);
  /// The least lease of what a tree object names; nothing: some of it is gone, or it is damaged.
  /// A base is no delta itself.
  Result<std::optional<WallTime>> LeastLease(std::string_view body, bool is_base,
                                             const std::stop_token& stop);
  Result<std::optional<WallTime>> RenewAs(const Digest& tree, bool is_base,
                                          const std::stop_token& stop);
  Result<std::optional<WallTime>> Known(const std::string& name, const std::stop_token& stop);
  void Remember(const store::ObjectInfo& info);
  /// Remembers what a tree with that lease proves of what it names.
  void RememberAll(const TreeReferences& references, WallTime lease);
  Status PutTreeNow(const Digest& tree, std::string_view body, const std::stop_token& stop);
  void Confirmed(const Digest& tree, WallTime when);

  store::Store& store_;
  const ReferenceReader references_;
  const std::size_t requests_;
  const std::shared_ptr<TreeCache> tree_cache_;
  std::mutex mutex_;
  std::map<std::string, WallTime> leases_;  ///< at least; they never become earlier
  std::map<Digest, WallTime> trees_;        ///< when each was confirmed
  bool holds_ = false;
  std::map<Digest, std::string> held_;
};

}  // namespace kinetic::bundle
