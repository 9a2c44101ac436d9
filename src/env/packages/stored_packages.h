#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "env/resolve/lock.h"
#include "record/packages/stored_package.h"
#include "store/object_store.h"

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::env {

/// How many objects of a store are read at the same time.
inline constexpr std::size_t kConcurrentReads = 16;

/// What a store has of the packages of a lock, as Lock::packages. Nothing: it has not that one, or
/// not its tree any more. It is only looked at, so that no lease is renewed.
///
/// @param prefix  folder of the environment where jobs run.
using StoredPackages = std::vector<std::optional<record::StoredPackage>>;
Result<StoredPackages> FindStoredPackages(const Lock& lock, const std::string& prefix,
                                          store::Store& store, std::stop_token stop);

/// What is in the layers that kinetic has made of these packages, by the layers' digests:
/// "numpy 2.1.0", "14 small packages". Nothing of those whose packages the store has no more.
Result<std::map<Digest, std::string>> NamesOfLayers(const Lock& lock,
                                                    const StoredPackages& packages,
                                                    const std::string& prefix, store::Store& store,
                                                    std::stop_token stop);

}  // namespace kinetic::env
