#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/registry/remote_image.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::oci {

/// The Python interpreter of an image.
struct ImagePython {
  std::string path;        ///< "/usr/local/bin/python3.12", with links resolved
  bool has_glibc = false;  ///< false: musl, or static
};

/// Finds the Python on an image's search path by file names, without running anything.
///
/// @param layer_files  the blobs of the image's layers, in order.
/// @param minor        "3.12"
/// @errors  kFailedPrecondition: Python is missing, or of another or unknown version · those of
///          ListLayer.
Result<ImagePython> FindImagePython(FileSystem& fs, const std::vector<Path>& layer_files,
                                    const RegistryImage& image, const std::string& minor,
                                    const std::stop_token& stop);

}  // namespace kinetic::oci
