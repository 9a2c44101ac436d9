#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/hash/digest.h"
#include "store/object_store.h"

#include <stop_token>

namespace kinetic::job {

/// Client::Put: stores the large arrays of a value, unless the store has them, and returns the value
/// with references to them.
Result<Value> PutSharedArrays(store::Store& store, Value value, const std::stop_token& stop);

/// Keeps a shared array for a job that is being submitted.
///
/// @errors  kFailedPrecondition: the array was removed.
Status RenewSharedArray(store::Store& store, const Digest& array, const std::stop_token& stop);

}  // namespace kinetic::job
