#pragma once

#include "kinetic/error.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "store/object_store.h"

#include <chrono>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

/// The trees that garbage collection keeps.
namespace kinetic::record {

/// What the records, checkpoints and data sets of a store refer to.
struct References {
  std::set<Digest> trees;      ///< of bundles, data, environments and checkpoints
  std::vector<Error> damaged;  ///< one for each damaged object, which refers to nothing
};

/// Reads the references of a store. Ignores the jobs in `without`.
///
/// @errors  kFailedPrecondition: an object of a newer version, whose trees are unknown. The message
///          names it.
Result<References> ReferencedTrees(store::Store& store, const std::set<std::string>& without,
                                   std::stop_token stop);

/// Returns the trees of the documents under packages/ whose lease is younger than `max_age`. Ignores
/// damaged documents, because their packages are installed again.
Result<std::set<Digest>> ReferencedPackageTrees(store::Store& store, std::chrono::hours max_age,
                                                std::stop_token stop);

}  // namespace kinetic::record
