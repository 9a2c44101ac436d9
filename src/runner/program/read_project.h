#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// A Python project as a distribution.
struct Project {
  Path folder;
  std::string name;
  std::string version;        ///< empty if only its build backend can compute it
  std::string requirements;   ///< lines of METADATA
  std::string entry_points;   ///< entry_points.txt
  std::vector<Path> sources;  ///< the folders that its modules are imported from
};

/// Reads the [project] table of a folder's pyproject.toml, and a dynamic version from its file.
///
/// @returns  nullopt if there is no such table.
/// @errors   kDataLoss: the table is invalid.
/// @source   https://packaging.python.org/en/latest/specifications/pyproject-toml/
Result<std::optional<Project>> ReadProject(FileSystem& fs, const Path& folder);

/// Returns whether `text` can be a version: without spaces and slashes.
bool IsVersion(std::string_view text);

}  // namespace kinetic::runner
