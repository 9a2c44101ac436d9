#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/build/image_builder.h"
#include "oci/registry/repository.h"

#include <cstdint>
#include <stop_token>

namespace kinetic::oci {

struct PushReport {
  std::uint64_t sent_bytes = 0;
  std::uint64_t present_bytes = 0;  ///< that the repository had
};

/// Stores an image in a repository under its tag: the blobs that are missing, then the manifest, so
/// that whoever finds the tag finds all of it.
///
/// @errors  those of Repository and of FileSystem.
Result<PushReport> PushImage(FileSystem& fs, const BuiltImage& image, const Repository& repository,
                             std::stop_token stop);

}  // namespace kinetic::oci
