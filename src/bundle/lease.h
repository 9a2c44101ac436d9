#pragma once

#include "bundle/references.h"
#include "store/store.h"

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

/// The writer's side of the garbage collection protocol: docs/adr/0004-garbage-collection.md.
namespace kinetic::bundle {

/// Content younger than this is reused as it is.
inline constexpr std::chrono::hours kReuseFor{7 * 24};
/// Content older than this that no kept record names is removed.
inline constexpr std::chrono::hours kCollectAfter{8 * 24};
/// The longest time between the confirmation of content and the next step that relies on it.
inline constexpr std::chrono::hours kConfirmedFor{8};

enum class Standing : std::uint8_t { kAbsent, kFresh, kStale };

/// What a writer may do with content that it found.
Standing StandingOf(const std::optional<store::ObjectInfo>& info, WallTime now);

/// Makes sure that the content one submission relies on is there and cannot be collected before its
/// record is written. Order of use: ReuseTree; if that says no, PutPack for each pack, then
/// PutTree; in both cases RenewIfSlow before the record is written and once more after.
///
/// @errors   those of Store and of the ReferenceReader.
/// @threads  safe to call concurrently.
class ContentLease {
 public:
  /// `store` and what `references` holds on to outlive the object.
  ContentLease(store::Store& store, ReferenceReader references);

  /// Whether the tree is there with all that it names, and safe from collection. One request when
  /// it is fresh. No: upload what it needs with PutPack and PutTree, also where parts are there.
  Result<bool> ReuseTree(const Digest& tree, std::stop_token stop);

  /// Stores a pack, or confirms the one that is there.
  Status PutPack(const Digest& pack, store::Source& source, std::stop_token stop);

  /// Confirms a pack that the new tree shall name too; false: it is not there.
  Result<bool> ReusePack(const Digest& pack, std::stop_token stop);

  /// Stores a tree whose packs and base have been put or confirmed through this object. When a tree
  /// of that name is there and complete, that one stays.
  ///
  /// @errors  kAborted: what was confirmed is gone again; begin anew.
  Status PutTree(const Digest& tree, std::string_view body, std::stop_token stop);

  /// Renews what was confirmed when that is long ago by the store's clock (a slow upload, a clock
  /// that jumped). No: some of it is gone, begin anew.
  Result<bool> RenewIfSlow(std::stop_token stop);

 private:
  Result<bool> ConfirmTree(const Digest& tree, bool is_base, std::stop_token stop);
  Result<bool> ConfirmNeeds(std::string_view body, bool is_base, std::stop_token stop);
  Result<bool> Confirm(const std::string& name, std::stop_token stop);
  Result<bool> Renew(const std::set<std::string>& names, std::stop_token stop);
  void Remember(const std::string& name, WallTime when);

  store::Store& store_;
  ReferenceReader references_;
  std::mutex mutex_;
  std::set<std::string> packs_, bases_, trees_;  ///< names, in the order in which they are renewed
  std::optional<WallTime> confirmed_;            ///< when the first of them was
};

}  // namespace kinetic::bundle
