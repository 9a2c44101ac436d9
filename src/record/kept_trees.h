#pragma once

#include "base/digest.h"
#include "store/store.h"

#include <set>
#include <stop_token>
#include <string>

namespace kinetic::record {

/// The trees that the records and the checkpoints in a store name, of bundles, of data and of
/// checkpoint folders: what garbage collection keeps. Jobs in `without` are passed over.
///
/// @errors  kDataLoss: a record or a checkpoint cannot be read (the message names it), so nobody
///          knows what it keeps.
Result<std::set<Digest>> TreesOfJobs(store::Store& store, const std::set<std::string>& without,
                                     std::stop_token stop);

}  // namespace kinetic::record
