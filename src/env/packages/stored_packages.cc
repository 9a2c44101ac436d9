#include "env/packages/stored_packages.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "env/install/package.h"
#include "record/object_names.h"

#include <algorithm>
#include <utility>

namespace kinetic::env {
namespace {

Result<std::optional<record::StoredPackage>> FindStoredPackage(const std::string& object,
                                                               store::Store& store,
                                                               const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(store, object, stop));
  if (!json) return std::optional<record::StoredPackage>();
  auto stored = record::StoredPackageFromJson(*json);
  // Invalid objects are treated as missing.
  if (!stored) return std::optional<record::StoredPackage>();
  KINETIC_ASSIGN_OR_RETURN(const auto tree, store.Stat(record::TreeName(stored->tree), stop));
  if (!tree) return std::optional<record::StoredPackage>();
  return std::optional(*std::move(stored));
}

}  // namespace

Result<StoredPackages> FindStoredPackages(const Lock& lock, const std::string& prefix,
                                          store::Store& store, std::stop_token stop) {
  StoredPackages packages(lock.packages.size());
  const auto find = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    const std::string object = record::PackageName(WheelKey(lock, lock.packages[i], prefix));
    KINETIC_ASSIGN_OR_RETURN(packages[i], FindStoredPackage(object, store, stopping));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kConcurrentReads, packages.size(), std::move(stop), find));
  return packages;
}

}  // namespace kinetic::env
