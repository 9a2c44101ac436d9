#pragma once

#include "kinetic/client.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "store/object_store.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::bundle {

struct ContentCollectorOptions {
  bool dry_run = false;
  std::chrono::hours min_age =
      kCollectAfter;  ///< by the store's clock; shorter only if no client submits
  /// Renew older leases of live content, so that no lifecycle rule of the bucket deletes it.
  std::chrono::hours renew_after{30 * 24};
  std::size_t requests = 16;  ///< concurrent
  /// Called for each damaged tree, whose packs are then unknown; may be empty. From any thread.
  std::function<void(const Error& damage)> on_damage = {};
};

/// Returns the trees that records refer to. Called after the content was listed.
using LiveTreeReader = std::function<Result<std::set<Digest>>(std::stop_token stop)>;

/// Removes packs and trees that no live tree needs and whose lease is older than `options.min_age`,
/// unless they are touched or replaced during the collection. Safe to run concurrently with
/// writers, readers and other collectors, and to kill at any time.
///
/// @returns  classes "packs" and "trees".
/// @errors   those of Store, `live_trees` and `references` except kDataLoss. Nothing is removed
///           then, because an object that cannot be read may refer to the content. A damaged tree
///           refers to nothing, because nothing can use it.
Result<GarbageReport> CollectContent(store::Store& store, const ReferenceReader& references,
                                     const LiveTreeReader& live_trees,
                                     const ContentCollectorOptions& options, std::stop_token stop);

/// An object that cannot be used, and why.
struct UnusableObject {
  store::ObjectInfo info;  ///< as it was before it was examined
  std::string problem;     ///< "trees/1f…: its entries do not match its digest"
};

/// Removes what makes a tree unusable after it could not be read: the damaged ones of its objects,
/// and the tree itself, because clients take a tree as a proof that its packs exist. An object that
/// was replaced in the meantime is kept. The next client stores the content again. Names are
/// digests of their content, so removing an object that does not match its name loses nothing.
///
/// @param pack  the pack that the reader found missing or damaged; nullopt: examines all packs.
/// @returns     the names of the removed objects.
/// @errors      those of Store.
Result<std::vector<std::string>> RemoveDamagedTree(store::Store& store, const Digest& tree,
                                                   const std::optional<Digest>& pack,
                                                   std::stop_token stop);

/// The result of reading all packs and trees.
struct ContentCheck {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::vector<UnusableObject> unusable;  ///< trees first
};

/// Reads and verifies all packs and trees of a store. Removes nothing.
///
/// @param requests  concurrent requests.
/// @errors          those of Store.
Result<ContentCheck> CheckContent(store::Store& store, std::size_t requests, std::stop_token stop);

}  // namespace kinetic::bundle
