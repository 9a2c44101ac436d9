#pragma once

#include "base/hash/digest.h"
#include "store/object_store.h"

#include <chrono>
#include <set>
#include <stop_token>
#include <string>

/// The trees that garbage collection keeps.
namespace kinetic::record {

/// Returns the trees of bundles, data, environments and checkpoints that the records, checkpoints and
/// data sets of a store refer to. Ignores the jobs in `without`.
///
/// @errors  kDataLoss: a record, a checkpoint or a data set is damaged, so its trees are unknown. The
///          message names it.
Result<std::set<Digest>> ReferencedTrees(store::Store& store, const std::set<std::string>& without,
                                         std::stop_token stop);

/// Returns the trees of the documents under packages/ whose lease is younger than `max_age`. Ignores
/// damaged documents, because their packages are installed again.
Result<std::set<Digest>> ReferencedPackageTrees(store::Store& store, std::chrono::hours max_age,
                                                std::stop_token stop);

}  // namespace kinetic::record
