#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <map>
#include <string>
#include <string_view>

namespace kinetic::env {

/// The options for running Python and uv on this machine.
struct ToolOptions {
  Path cache_dir;           ///< absolute; contains environments/, logs/, secrets/, tools/
  std::string search_path;  ///< as in PATH
  std::map<std::string, std::string> environment;  ///< the caller's; passed to programs
  FileSystem* fs = &PosixFileSystem();
  Clock* clock = &SystemClock();
};

/// The layout of environments in a cache folder:
///   environments/{id}/                complete, with kinetic.json written last
///   environments/{id}.{random}.tmp/   in progress, or abandoned
///   environments/.locks/{id}          locked while the environment is created or removed
///   environments/.locks/package-sets  locked (shared) while an environment is created, and while
///                                     package sets are removed
///   package-sets/{random}/            installed packages that environments link to
///   package-sets/{random}.tmp/        in progress, or abandoned
///   logs/                             of installers that failed
struct EnvironmentCacheLayout {
  Path cache_dir;

  Path Environments() const { return cache_dir / "environments"; }
  Path PackageSets() const { return cache_dir / "package-sets"; }
  Path Logs() const { return cache_dir / "logs"; }
  Path Root(std::string_view id) const { return Environments() / id; }
  Path Marker(std::string_view id) const { return Root(id) / kMarkerName; }
  Path LockFile(std::string_view id) const { return Environments() / ".locks" / id; }
  Path PackageSetsLock() const { return LockFile("package-sets"); }
  /// Returns a new name for a temporary folder.
  Path TemporaryRoot(std::string_view id) const;
  Path TemporaryPackageSet() const;

  /// Returns whether `name` in Environments() is an environment, or a temporary folder of `id` (of
  /// any environment if `id` is empty).
  static bool IsId(std::string_view name);
  static bool IsTemporary(std::string_view name, std::string_view id);
  /// Returns whether `name` in PackageSets() is a temporary folder.
  static bool IsTemporary(std::string_view name);

  static constexpr std::string_view kMarkerName = "kinetic.json";
};

}  // namespace kinetic::env
