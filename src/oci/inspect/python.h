#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/registry/remote_image.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::oci {

/// The Python of an image.
struct ImagePython {
  std::string path;        ///< "/usr/local/bin/python3.12", without a link in it
  bool has_glibc = false;  ///< which most wheels are made for; else it is musl, or all is static
};

/// Finds the Python that the image has on its search path, without running anything: by the names
/// of its files.
///
/// @param layer_files  the blobs of the image's layers, as the registry has them and in its order.
/// @param minor        "3.12"
/// @errors  kFailedPrecondition: there is none, another one, or one that does not show what it is ·
///          those of ListLayer.
Result<ImagePython> FindImagePython(FileSystem& fs, const std::vector<Path>& layer_files,
                                    const RegistryImage& image, const std::string& minor,
                                    const std::stop_token& stop);

}  // namespace kinetic::oci
