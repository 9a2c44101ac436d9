#pragma once

#include "env/resolve/lock.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The packages of a lock in a line, as images say which they have: "idna==3.7 tool@https://…", by
/// name. What a line in quotes cannot hold of a URL is in it as "%22".
std::string PackageLabel(const std::vector<LockedPackage>& packages);

/// The packages in such a line, without hashes; nothing: it is none.
std::optional<std::vector<LockedPackage>> PackagesInLabel(std::string_view label);

}  // namespace kinetic::env
