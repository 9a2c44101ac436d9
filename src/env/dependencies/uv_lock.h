#pragma once

#include "kinetic/result.h"

#include "env/lock.h"
#include "env/pep/requirement.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The requested part of a uv.lock.
struct UvSelection {
  std::vector<std::string> extras;
  std::vector<std::string> groups;
  std::string python;    ///< "3.12"
  std::string platform;  ///< "linux-x86_64"
  /// [project] dependencies of the pyproject.toml next to it, which the lock must match.
  std::vector<Requirement> dependencies;
};

struct UvPackages {
  std::vector<LockedPackage> packages;  ///< by name
  std::vector<std::string> registries;  ///< redacted URLs
  PrivateUrls private_urls;
};

/// Follows the dependencies of a uv.lock's root package (version 1), evaluating markers.
///
/// @errors  kInvalidArgument: not a uv.lock, a newer version, older than its pyproject.toml, an
///          unknown extra or group, a package from version control or a local folder, two
///          versions of one package, a Python that it excludes.
/// @source  https://docs.astral.sh/uv/concepts/projects/layout/#the-lockfile
Result<UvPackages> ReadUvLock(std::string_view text, const UvSelection& selection);

}  // namespace kinetic::env
