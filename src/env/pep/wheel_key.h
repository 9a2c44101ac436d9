#pragma once

#include "base/hash/digest.h"
#include "env/resolve/lock.h"

#include <string_view>

namespace kinetic::env {

/// Changes when InstallPackage lays the same wheel out in another way.
inline constexpr std::string_view kWheelLayoutVersion = "2";

/// Names what InstallPackage will give for a package of a lock, before it was asked to: package,
/// hashes, Python, platform, the prefix and the version of the layout. Equal keys, equal folders,
/// with two exceptions: a lock that allows several wheels of one version (uv's lists the hashes of
/// all) leaves the choice to the installer; and compiled modules are there or not.
///
/// @param prefix  as PackagePlace::prefix.
Digest WheelKey(const Lock& lock, const LockedPackage& package, std::string_view prefix);

}  // namespace kinetic::env
