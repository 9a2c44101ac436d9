#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/build/image_builder.h"

#include <stop_token>

namespace kinetic::oci {

/// Writes an image as an OCI layout in one tar archive, through a folder beside it that is gone at
/// the end.
///
/// @errors  the file system's; those of WriteLayer. No file is left, and none is replaced.
Result<WrittenImage> WriteImage(FileSystem& fs, const Image& image, const Packaging& packaging,
                                const Path& output, const std::stop_token& stop);

}  // namespace kinetic::oci
