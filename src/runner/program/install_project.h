#pragma once

#include "base/files/file_system.h"

#include <map>
#include <string>

namespace kinetic::runner {

/// Where a job's project is and where it is installed.
struct ProjectPlaces {
  Path root;         ///< of the bundle
  Path folder;       ///< that the program starts in
  Path environment;  ///< the job's virtual environment
};

/// Installs the job's project as `pip install -e` does: metadata, entry points, scripts, and a path
/// to its modules in the bundle. The project is the nearest one from `folder` up to `root`.
///
/// @param variables  the program's; SETUPTOOLS_SCM_PRETEND_VERSION replaces an unknown version.
/// @returns          a line for the log if the project could not be installed or has no known
///                   version, or an empty string.
std::string InstallProject(FileSystem& fs, const ProjectPlaces& places,
                           const std::map<std::string, std::string>& variables);

}  // namespace kinetic::runner
