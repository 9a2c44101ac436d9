#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "env/lock.h"
#include "env/packages/stored_packages.h"
#include "store/object_store.h"

#include <map>
#include <stop_token>
#include <string>

namespace kinetic::env {

/// Returns the contents of the layers that kinetic makes of these packages, by layer digest:
/// "numpy 2.1.0", "14 small packages". Omits packages that are no longer stored.
Result<std::map<Digest, std::string>> LayerNames(const Lock& lock, const StoredPackages& packages,
                                                 const std::string& prefix, store::Store& store,
                                                 std::stop_token stop);

}  // namespace kinetic::env
