#pragma once

#include "base/digest.h"
#include "store/store.h"

#include <set>
#include <stop_token>
#include <string>

namespace kinetic::record {

/// The trees that the records, the checkpoints and the data sets in a store name, of bundles, of
/// data and of checkpoint folders: what garbage collection keeps. Jobs in `without` are passed
/// over.
///
/// @errors  kDataLoss: a record, a checkpoint or a data set cannot be read (the message names it),
/// so nobody
///          knows what it keeps.
Result<std::set<Digest>> TreesOfJobs(store::Store& store, const std::set<std::string>& without,
                                     std::stop_token stop);

}  // namespace kinetic::record
