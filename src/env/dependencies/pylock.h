#pragma once

#include "kinetic/result.h"

#include "env/lock.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// A package of a pylock.toml.
struct PylockPackage {
  LockedPackage package;   ///< its URLs as written
  std::string index;       ///< URL; may be empty
  std::string folder;      ///< of a project on this machine; else empty
  std::string file;        ///< an archive on this machine; else empty
  std::string repository;  ///< URL of a git repository; else empty
  std::string commit;
  std::string subfolder;  ///< in the repository
};

/// Reads the packages of a pylock.toml, regardless of their markers.
///
/// @errors  kInvalidArgument: not a pylock.toml, a newer version, or a value that cannot be part of a
///          path or a requirements file.
/// @source  https://packaging.python.org/en/latest/specifications/pylock-toml/
Result<std::vector<PylockPackage>> ReadPylock(std::string_view text);

}  // namespace kinetic::env
