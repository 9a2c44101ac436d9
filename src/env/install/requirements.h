#pragma once

#include "env/dependencies/index_settings.h"
#include "env/resolve/lock.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kinetic::env {

/// Requirement lines in the form for an installer's file: private URLs stand in it as
/// `${KINETIC_URL_0}`, and their values in `environment`.
std::string InstallerRequirements(const std::vector<std::string>& lines,
                                  const PrivateUrls& private_urls,
                                  std::map<std::string, std::string>& environment);

/// The same for packages of a lock, with their hashes.
std::string LockedRequirements(std::span<const LockedPackage> packages,
                               const PrivateUrls& private_urls,
                               std::map<std::string, std::string>& environment);

}  // namespace kinetic::env
