#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"

#include "base/file_system.h"
#include "oci/documents.h"
#include "oci/entry.h"
#include "oci/reference.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::oci {

/// An image that is yet to be written: what is stable in the first layers, what changes often in
/// the last.
struct Image {
  ImageConfig config;
  std::vector<std::vector<Entry>> layers;
};

/// What an image is called, and how it is written.
struct Packaging {
  Reference name;       ///< without a tag, it gets "{version}-{12 hex digits of the image id}"
  std::string version;  ///< of what is in the image
  ImageCompression compression = ImageCompression::kZstd;
};

/// Writes an image as an OCI layout in one tar archive, through a folder beside it that is gone at
/// the end.
///
/// @errors  the file system's; those of WriteLayer. No file is left, and none is replaced.
Result<WrittenImage> WriteImage(FileSystem& fs, const Image& image, const Packaging& packaging,
                                const Path& output, const std::stop_token& stop);

}  // namespace kinetic::oci
