#pragma once

#include "kinetic/environment.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "env/dependencies/index_settings.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// A wheel or source archive of a package.
struct LockedFile {
  std::string url;   ///< redacted; or a path, relative to the dependency file
  std::string hash;  ///< "sha256:…"
  bool operator==(const LockedFile&) const = default;
};

/// One resolved package.
struct LockedPackage {
  std::string name;                 ///< PEP 503 normalized
  std::string version;              ///< may be empty if `url` is set
  std::string url;                  ///< for direct references, redacted
  std::vector<std::string> hashes;  ///< "sha256:…", sorted
  /// File name of the wheel that kinetic built from a repository or a folder; else empty.
  std::string wheel = {};
  /// The files among which uv chooses, from a pylock.toml that contains their URLs. If empty, the
  /// package comes from `url` or from an index.
  std::vector<LockedFile> files = {};

  std::string DisplayName() const;  ///< "numpy 2.1.0"
  /// Returns what is wrong if the package comes from a source that is not trusted, or "": the values
  /// become names of files, and lines of a requirements file.
  std::string Problem() const;
  bool operator==(const LockedPackage&) const = default;
};

/// A resolved set of packages for one Python and platform: locks/{manifest key}.
struct Lock {
  Digest manifest_key;
  std::string python;                   ///< "3.12"
  std::string platform;                 ///< "linux-x86_64"
  std::string base_image;               ///< its digest; empty on targets without images
  IndexSettings index;                  ///< without credentials
  std::vector<LockedPackage> packages;  ///< by name
  WallTime resolved_at;
  std::string resolver;  ///< "uv 0.5.1", "pip 24.0", "uv.lock"

  /// Returns the environment id: a hash of Python, platform, packages and base image digest, not of
  /// when and how they were resolved.
  Digest EnvironmentId() const;
};

std::string ToJson(const Lock& lock);
/// @errors  kDataLoss: not a lock, or of a newer version.
Result<Lock> LockFromJson(std::string_view json);

/// Converts a lock to its public form.
EnvironmentLock ToPublic(const Lock& lock, bool from_cache);
std::vector<kinetic::LockedPackage> ToPublic(const std::vector<LockedPackage>& packages);

}  // namespace kinetic::env
