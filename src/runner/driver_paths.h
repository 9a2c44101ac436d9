#pragma once

#include "base/file_system.h"

#include <map>
#include <string>

namespace kinetic::runner {

/// Where GKE mounts the driver of a node's GPUs into containers that have some.
inline constexpr std::string_view kNvidiaFolder = "/usr/local/nvidia";

/// Adds the libraries and programs of a GPU driver to LD_LIBRARY_PATH and PATH, behind what the
/// image has there; where there is no such folder, nothing.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/gpus#cuda
void AddDriverPaths(FileSystem& fs, const Path& folder,
                    std::map<std::string, std::string>& environment);

}  // namespace kinetic::runner
