#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "env/resolve/lock.h"

#include <string>
#include <string_view>

namespace kinetic::env {

/// The places of environments in a cache folder:
///   environments/{id}/                complete, with kinetic.json written last
///   environments/{id}.{random}.tmp/   being made, or left behind
///   environments/.locks/{id}          held by whoever makes or removes it
///   logs/                             of installers that failed
struct EnvironmentFolder {
  Path cache_dir;

  Path Environments() const { return cache_dir / "environments"; }
  Path Logs() const { return cache_dir / "logs"; }
  Path Root(std::string_view id) const { return Environments() / id; }
  Path Marker(std::string_view id) const { return Root(id) / kMarkerName; }
  Path LockFile(std::string_view id) const { return Environments() / ".locks" / id; }
  /// A new name for a folder of that environment, longer than its own: installers write a
  /// script's first line differently when the path in it is too long, and never for the shorter.
  Path Temporary(std::string_view id) const;

  /// Whether a name in Environments() is an environment's, or one of a temporary folder of `id`
  /// (of any, when it is empty).
  static bool IsId(std::string_view name);
  static bool IsTemporary(std::string_view name, std::string_view id);

  static constexpr std::string_view kMarkerName = "kinetic.json";
};

/// The text of a marker.
std::string MarkerJson(const Lock& lock, std::string_view python_version, WallTime built);

/// Puts `to` in the place of `from` in the scripts of a virtual environment and in its pyvenv.cfg.
Status MoveScripts(FileSystem& fs, const Path& root, const std::string& from,
                   const std::string& to);

}  // namespace kinetic::env
