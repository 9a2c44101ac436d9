#include "env/dependencies/dependency_files.h"

#include <algorithm>
#include <utility>

namespace kinetic::env {

Result<Lock> LockFromHashedRequirements(const std::vector<Requirement>& requirements,
                                        const MarkerEnvironment& environment) {
  Lock lock;
  for (const auto& one : requirements) {
    if (!one.AppliesTo(environment)) continue;
    LockedPackage package{one.name, one.specifier.Pinned().value_or(""), one.url, one.hashes};
    const auto same = std::find_if(lock.packages.begin(), lock.packages.end(),
                                   [&](const auto& other) { return other.name == one.name; });
    if (same == lock.packages.end()) {
      lock.packages.push_back(std::move(package));
    } else if (!(*same == package)) {
      return Fail(ErrorCode::kInvalidArgument, one.name + " is required twice: as " +
                                                   same->version + " and as " + package.version);
    }
  }
  std::sort(lock.packages.begin(), lock.packages.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return lock;
}

}  // namespace kinetic::env
