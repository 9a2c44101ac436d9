#pragma once

#include "kinetic/client.h"

#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "store/object_store.h"

#include <functional>
#include <set>
#include <stop_token>

namespace kinetic::bundle {

struct ContentOptions {
  bool dry_run = false;
  std::chrono::hours min_age = kCollectAfter;  ///< by the store's clock; less only in tests
  /// Kept content whose lease is older has it renewed, so that a lifecycle rule of the bucket does
  /// not take it.
  std::chrono::hours renew_after{30 * 24};
  std::size_t requests = 16;  ///< at once
};

/// The trees that kept records name. Called after the listing, never before.
using KeptTrees = std::function<Result<std::set<Digest>>(std::stop_token stop)>;

/// Removes packs and trees that no kept tree needs and whose lease is older than
/// `options.min_age`, unless somebody touches or replaces them meanwhile. Safe at any time, beside
/// any number of writers, readers and other collectors; may be killed at any moment.
///
/// @returns  classes "packs" and "trees".
/// @errors   those of Store, `kept` and `references`: nothing is removed then, because what cannot
/// be
///           read may be what names the content.
Result<GarbageReport> CollectContent(store::Store& store, const ReferenceReader& references,
                                     const KeptTrees& kept, const ContentOptions& options,
                                     std::stop_token stop);

}  // namespace kinetic::bundle
