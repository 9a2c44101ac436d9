#pragma once

#include "base/digest.h"
#include "store/store.h"

#include <set>
#include <stop_token>
#include <string>

namespace kinetic::record {

/// The trees that the records in a store name, of bundles and of data: what garbage collection
/// keeps. Records of the jobs in `without` are passed over.
///
/// @errors  kDataLoss: a record cannot be read (the message names it), so nobody knows what it
///          keeps.
Result<std::set<Digest>> TreesOfRecords(store::Store& store, const std::set<std::string>& without,
                                        std::stop_token stop);

}  // namespace kinetic::record
