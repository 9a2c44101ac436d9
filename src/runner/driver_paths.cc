#include "runner/driver_paths.h"

#include "base/strings.h"

#include <algorithm>

namespace kinetic::runner {
namespace {

void Append(std::string& path_list, const std::string& folder) {
  const auto parts = Split(path_list, ':');
  if (std::ranges::find(parts, folder) != parts.end()) return;
  path_list += (path_list.empty() ? "" : ":") + folder;
}

}  // namespace

void AddDriverPaths(FileSystem& fs, const Path& folder,
                    std::map<std::string, std::string>& environment) {
  const Path libraries = folder / "lib64";
  if (!fs.Lstat(libraries)) return;
  Append(environment["LD_LIBRARY_PATH"], libraries.native());
  Append(environment["PATH"], (folder / "bin").native());
}

}  // namespace kinetic::runner
