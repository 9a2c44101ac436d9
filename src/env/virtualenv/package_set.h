#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "env/lock.h"
#include "env/tool_options.h"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Returns the folder of packages in an environment: "lib/python3.12/site-packages".
Path PackagesFolder(std::string_view python);

/// Packages of one package set: a sealed folder with what one run of uv installed. Environments
/// link to it, so that an environment in which one package changed needs only that one installed.
struct SetPackages {
  Path set;
  std::set<std::string> names;  ///< normalized

  bool operator==(const SetPackages&) const = default;
};

/// Where the packages of a lock are installed.
struct InstalledPackages {
  std::vector<SetPackages> sets;
  std::vector<LockedPackage> missing;  ///< installed nowhere
};

/// Finds the packages of a lock in the package sets of a cache folder. Marks these sets as used.
Result<InstalledPackages> FindInstalledPackages(const ToolOptions& tools, const Lock& lock);

/// Turns a folder in which uv installed packages of a lock into a package set, and seals it.
///
/// @param installed  a temporary folder, EnvironmentCacheLayout::TemporaryPackageSet.
Result<SetPackages> PublishPackageSet(const ToolOptions& tools, const Path& installed,
                                      const Lock& lock, std::span<const LockedPackage> packages);

/// Returns the package sets that an environment links to; none if it does not exist.
///
/// @errors  kDataLoss: its marker is damaged · those of reading the marker.
Result<std::vector<Path>> LinkedPackageSets(FileSystem& fs, const Path& environment);

}  // namespace kinetic::env
