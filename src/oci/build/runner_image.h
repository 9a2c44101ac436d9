#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/build/write_image.h"

#include <string>
#include <vector>

namespace kinetic::oci {

/// Assembles the image of the runner: a root file system in which `kinetic-runner` starts by its
/// path, /kinetic-runner/bin/kinetic-runner, with nothing else on board.
///
/// The loader and the libraries are in /kinetic-runner/lib; /lib, and the folder in which programs
/// look for their loader, lead there. Programs lose their symbols; libraries are what they are on
/// this machine. Two layers: what changes with the machine, and what changes with kinetic.
///
/// @param library_folders  where shared libraries are looked for; empty: where this machine's
///                         loader looks.
/// @errors  as WriteRunnerImage.
Result<Image> RunnerImage(FileSystem& fs, const RunnerImageRequest& request,
                          const std::vector<Path>& library_folders = {});

}  // namespace kinetic::oci
