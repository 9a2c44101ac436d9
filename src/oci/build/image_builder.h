#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/format/layout.h"
#include "oci/format/reference.h"
#include "oci/format/write_documents.h"
#include "oci/layer/entry.h"
#include "oci/layer/writer.h"

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

/// An image as the files of a layout, which has no index yet.
struct BuiltImage {
  Layout layout;
  Reference name;  ///< with a tag
  std::vector<Layer> layers;
  Descriptor config;
  Descriptor manifest;

  /// What callers of the library are told of it.
  WrittenImage Description() const;
};

/// Writes the blobs of an image into an empty folder, or one that is yet to be made.
///
/// @errors  the file system's; those of WriteLayer.
Result<BuiltImage> BuildImage(FileSystem& fs, const Image& image, const Packaging& packaging,
                              const Path& folder, const std::stop_token& stop);

}  // namespace kinetic::oci
