#pragma once

#include "kinetic/client.h"

#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "store/object_store.h"

#include <functional>
#include <set>
#include <stop_token>

namespace kinetic::bundle {

struct ContentCollectorOptions {
  bool dry_run = false;
  std::chrono::hours min_age = kCollectAfter;  ///< by the store's clock; shorter only in tests
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
/// @errors   those of Store, `live_trees` and `references` except kDataLoss. Nothing is removed then,
///           because an object that cannot be read may refer to the content. A damaged tree refers to
///           nothing, because nothing can use it.
Result<GarbageReport> CollectContent(store::Store& store, const ReferenceReader& references,
                                     const LiveTreeReader& live_trees,
                                     const ContentCollectorOptions& options, std::stop_token stop);

}  // namespace kinetic::bundle
