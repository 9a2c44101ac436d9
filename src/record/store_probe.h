#pragma once

#include "kinetic/result.h"

#include "store/object_store.h"

#include <stop_token>

namespace kinetic::record {

/// Writes and removes an object, to check that a store can be used. If this process is killed,
/// garbage collection removes the object.
///
/// @errors  those of Store.
Status ProbeStore(store::Store& store, std::stop_token stop);

}  // namespace kinetic::record
